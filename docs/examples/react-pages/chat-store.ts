import {
  addUpdate,
  addUserMessage,
  type Content,
  type Conversation,
  conversationOf,
  createConfirmation,
  EMPTY_CONVERSATION,
  type FairleadClient,
  type SessionData,
} from "fairlead/client";

/** A conversation that React reads by `useSyncExternalStore(store.subscribe, store.read)`. */
export class ChatStore {
  readonly #client: FairleadClient;
  readonly #listeners = new Set<() => void>();
  #session: SessionData | undefined;
  #conversation = EMPTY_CONVERSATION;

  constructor(client: FairleadClient) {
    this.#client = client;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly read = (): Conversation => this.#conversation;

  /** Opens the session, or creates one; follows its active run, as after a reload. Returns the session's id. */
  async open(appName: string, id: string | null): Promise<string> {
    const { sessions, runs } = this.#client;
    this.#session = await (id === null
      ? sessions.create({ appName, userId: "me" })
      : sessions.get({ appName, userId: "me", id }));
    this.#set(conversationOf(this.#session.events));
    const [newest] = (await runs.list({ session: this.#session, pageSize: 1 })).runs;
    if (newest?.status === "running" || newest?.status === "pending") void this.#follow(runs.stream(newest.runId));
    return this.#session.id;
  }

  /** Sends a text, or answers. */
  async send(newMessage: string | Content): Promise<void> {
    if (this.#session === undefined) return;
    this.#set(addUserMessage(this.#conversation, newMessage));
    await this.#follow(await this.#client.stream({ session: this.#session, newMessage }));
  }

  /** Answers all requests of confirmation together. */
  async confirm(confirmed: boolean): Promise<void> {
    const calls = this.#conversation.waitingCalls.filter(({ name }) => name === "adk_request_confirmation");
    await this.send({ role: "user", parts: calls.map((call) => createConfirmation(call, { confirmed })) });
  }

  async #follow(stream: Awaited<ReturnType<FairleadClient["stream"]>>): Promise<void> {
    for await (const update of stream.updates()) this.#set(addUpdate(this.#conversation, update));
  }

  #set(conversation: Conversation): void {
    this.#conversation = conversation;
    for (const listener of this.#listeners) listener();
  }
}
