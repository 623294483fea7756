import type { TaskState } from "@a2a-js/sdk";
import type { RequestOptions } from "@a2a-js/sdk/client";
import type { EventMembers } from "#kit/a2a/conversion/event-metadata.ts";
import {
  A2AMetadata,
  ADK_EXTENSION_URI,
  AdkMetadataKey,
  PAUSED_KEY,
  PEER_KEY,
} from "#kit/a2a/conversion/metadata-keys.ts";
import { isPaused, TASK_STATE } from "#kit/a2a/conversion/protocol.ts";
import { AgentOrigin, BaseAgent, type BaseAgentOptions } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { A2AClientError, AgentCardResolutionError } from "#kit/errors/a2a-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Event, functionCalls, USER_AUTHOR } from "#kit/events/event.ts";
import type { Fetch } from "#kit/outbound-http/bounded-fetch.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { ArtifactProgress } from "./artifact-assembly.ts";
import { conversationEvents, OWN_REQUEST_KEY, requestPart } from "./own-request.ts";
import { forgetAnswers, pauseQuestion, type Reply, replyTo } from "./paused-task.ts";
import {
  type A2AClient,
  type AgentCardSource,
  createPeerClient,
  problemOf,
  type ReadCard,
  readCard,
} from "./peer-client.ts";
import { type RemoteAccess, RemoteAuth, type RemoteAuthOptions } from "./remote-access.ts";
import { RemoteTask, type TaskOutput } from "./remote-task.ts";
import { conversationOf, newestAnswer, unseenMessage } from "./unseen-message.ts";
import { type CardKeys, verifyCard } from "./verify-card.ts";

/** Options of a `RemoteA2AAgent`. */
export interface RemoteA2AAgentOptions extends BaseAgentOptions, RemoteAuthOptions {
  /**
   * The card of the remote agent: an object, the address of a card or of its server, or the path of a file. Not needed
   * with an `a2aClient`.
   */
  readonly agentCard?: AgentCardSource;
  /** A client of `@a2a-js/sdk` with connections and credentials of its own, in place of `agentCard` and all credentials here. */
  readonly a2aClient?: A2AClient;
  /** The public keys of whoever signs the card, or their address: a card without such a signature is refused. */
  readonly cardKeys?: CardKeys;
  /** Headers for each run, such as the credentials of the run's user. They are sent to the card's server too. */
  readonly headerProvider?: (context: ReadonlyContext) => RequestHeaders | Promise<RequestHeaders>;
  /** The longest time between two answers of the remote, in milliseconds; 600,000 by default. */
  readonly timeoutMs?: number;
}

type RequestHeaders = Readonly<Record<string, string>>;

const DEFAULT_TIMEOUT_MS = 600_000;
const CANCEL_TIMEOUT_MS = 5_000;

/**
 * An agent of another server, which is called by the Agent2Agent protocol. It sends what the remote has not seen of the
 * conversation, and its events are the remote's messages, artifacts and statuses. The session has the remote's task and
 * context: a recovered run follows the task, and asks nothing twice.
 *
 * @example
 * new RemoteA2AAgent({ name: "prime_checker", agentCard: "https://primes.example.com/a2a/primes" });
 */
export class RemoteA2AAgent extends BaseAgent {
  static readonly AgentCardResolutionError = AgentCardResolutionError;
  static readonly TypeError = TypeError;

  override readonly kind = "remote";
  override readonly toolOrigin = AgentOrigin.A2A;
  readonly agentCard: AgentCardSource | undefined;
  readonly #options: RemoteA2AAgentOptions;
  #description: string | undefined;
  readonly #auth: RemoteAuth;
  #card: ReadCard | undefined;

  /** Throws `INVALID_FIELD` if there is neither a card nor a client. */
  constructor(options: RemoteA2AAgentOptions) {
    super(options);
    const { agentCard, a2aClient, cardKeys, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const refuse = (field: string, problem: string): never => {
      throw new PlatformError("INVALID_FIELD", `Agent "${this.name}": ${field} ${problem}`, { details: { field } });
    };
    if (a2aClient === undefined && (agentCard === undefined || agentCard === ""))
      refuse("agentCard", "is missing: give a card, its address or its file, or an a2aClient.");
    if (a2aClient !== undefined && cardKeys !== undefined)
      refuse("cardKeys", "are for an agentCard: an a2aClient has a card already.");
    if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1) refuse("timeoutMs", "must be a whole number above 0.");
    const { authScheme, authCredential, signIn } = options;
    if (a2aClient !== undefined && (authScheme ?? signIn) !== undefined)
      refuse(
        signIn === undefined ? "authScheme" : "signIn",
        "has no effect with an a2aClient, which has its own credentials.",
      );
    if (authScheme !== undefined && signIn !== undefined)
      refuse("signIn", "and authScheme exclude each other: give one.");
    if (authScheme === undefined && authCredential !== undefined) refuse("authCredential", "needs an authScheme.");
    this.#options = options;
    this.agentCard = agentCard;
    this.#auth = new RemoteAuth(options, typeof agentCard === "string" ? agentCard : this.name);
  }

  /** How calls of the remote are authenticated. It may hold secrets of the author. */
  get auth(): RemoteAuthOptions & Pick<RemoteA2AAgentOptions, "headerProvider"> {
    const { authScheme, authCredential, credentialKey, signIn, headerProvider } = this.#options;
    return { authScheme, authCredential, credentialKey, signIn, headerProvider };
  }

  /** The remote's own description, if the agent has none and the card was read. */
  get remoteDescription(): string | undefined {
    return this.#description;
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    using answers = new AnswerTime(context.signal, this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const step = await nextStep(context);
    if (step === undefined) return;
    const { access, client: open } = await this.#clientFor(context, answers.signal);
    const events = new RemoteEvents(context, step, { access, peer: () => this.#peer });
    let opened: { readonly client: A2AClient; readonly task: RemoteTask } | undefined;
    try {
      const client = await open();
      const request: RequestOptions = {
        signal: answers.signal,
        serviceParameters: { "A2A-Extensions": ADK_EXTENSION_URI },
      };
      // The remote's work cannot be undone: what it is about has to survive this process.
      if (step.kind === "send") await context.persisted();
      const task = new RemoteTask({ client, request, signal: answers.signal, progress: progressOf(context) });
      opened = { client, task };
      let given = step.kind === "send" ? step.reply.answerKeys : [];
      for await (const output of step.kind === "follow"
        ? task.follow(step.taskId, step.contextId)
        : task.send(step.reply.message, context.isRecovered)) {
        answers.restart();
        await forgetAnswers(context, given);
        given = [];
        const event = await events.eventOf(output);
        if (event !== undefined) yield event;
      }
    } catch (error) {
      if (context.signal.aborted) throw error;
      const authConfig = access.mustAsk ? await access.request() : undefined;
      if (authConfig === undefined) throw this.#failure(error, answers, access);
      yield events.request(authConfig);
    } finally {
      const id = opened?.task.activeTaskId ?? "";
      if (opened !== undefined && id !== "" && isCancelled(context.signal))
        await cancelTask(opened.client, id, context);
    }
  }

  async #clientFor(
    context: InvocationContext,
    signal: AbortSignal,
  ): Promise<{ readonly access: RemoteAccess; readonly client: () => Promise<A2AClient> }> {
    const { a2aClient, headerProvider, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const headers = a2aClient === undefined ? ((await headerProvider?.(new ReadonlyContext(context))) ?? {}) : {};
    const access = this.#auth.accessFor(context, guardedFetch(context, { headers, signal, timeoutMs }));
    access.addSecrets(headers);
    const client = async () => {
      if (a2aClient !== undefined) return a2aClient;
      // A card that could not be read is read again by the next run.
      this.#card ??= await this.#readCard(access.fetch, guardedFetch(context, { headers: {}, signal, timeoutMs }));
      this.#description = this.#card.card.description;
      this.#auth.useCard(this.#card.card);
      return createPeerClient(this.#card, access.fetch);
    };
    return { access, client };
  }

  /** `publicFetch` has no credentials: the server of the keys may be another one than the remote. */
  async #readCard(fetch: Fetch, publicFetch: Fetch): Promise<ReadCard> {
    const { agentCard = "", cardKeys } = this.#options;
    const read = await readCard(agentCard, fetch);
    if (cardKeys !== undefined) await verifyCard(read.card, cardKeys, publicFetch);
    return read;
  }

  /** The address of the card without what may be secret in it, or else of the agent; undefined if there is none. */
  get #peer(): string | undefined {
    const { agentCard } = this;
    const url = typeof agentCard === "string" && /^https?:/i.test(agentCard) ? agentCard : undefined;
    const address = URL.parse(url ?? this.#card?.card.supportedInterfaces[0]?.url ?? "");
    return address === null ? undefined : address.origin + address.pathname;
  }

  #failure(error: unknown, answers: AnswerTime, access: RemoteAccess): Error {
    if (answers.isOver)
      return new A2AClientError(
        `Agent "${this.name}": the remote agent has not answered within ${answers.limitMs} ms.`,
      );
    const isOwn = error instanceof A2AClientError || error instanceof AgentCardResolutionError;
    if (error instanceof PlatformError && !isOwn) return error;
    const Failure = error instanceof AgentCardResolutionError ? AgentCardResolutionError : A2AClientError;
    return new Failure(
      `Agent "${this.name}": ${access.refusal ?? access.redact(problemOf(error))}`,
      access.redactError(error),
    );
  }
}

/** The agent's work in this run: it follows a task, or sends a message. */
type Step =
  | { readonly kind: "follow"; readonly taskId: string; readonly contextId: string }
  | { readonly kind: "send"; readonly reply: Reply };

/** Undefined if the remote has seen everything. */
async function nextStep(context: InvocationContext): Promise<Step | undefined> {
  const place = conversationOf(context);
  const newest = conversationEvents(context, context.past?.events ?? []).at(-1);
  const isAnswer = newest?.author === USER_AUTHOR;
  if (context.agentState?.["isActive"] === true && !isAnswer && place.taskId !== "")
    return { kind: "follow", ...place };
  const paused = place.taskId !== "" && isPausedAt(context) ? place : { ...place, taskId: "" };
  const reply = isAnswer ? await replyTo(context, newest, paused) : undefined;
  if (reply !== undefined) return { kind: "send", reply };
  const message = unseenMessage(context, paused);
  return message && { kind: "send", reply: { message, answerKeys: [] } };
}

interface EventsOptions {
  readonly access: RemoteAccess;
  /** The address of the remote, which is known when its card was read. */
  readonly peer: () => string | undefined;
}

/** Makes events of a task's outputs, with the places that a later run needs. */
class RemoteEvents {
  readonly #context: InvocationContext;
  readonly #access: RemoteAccess;
  #taskId: string;
  #contextId: string;
  #isActive: boolean;
  /** Undefined after the first complete event. */
  #peer: (() => string | undefined) | undefined;

  constructor(context: InvocationContext, step: Step, { access, peer }: EventsOptions) {
    this.#peer = peer;
    this.#context = context;
    this.#access = access;
    const { taskId, contextId } = step.kind === "follow" ? step : step.reply.message;
    this.#taskId = taskId;
    this.#contextId = contextId;
    this.#isActive = step.kind === "follow";
  }

  /** Asks the user for the credential that the remote demands. The work continues where it stands. */
  request(authConfig: JsonObject): Event {
    const { id, part } = requestPart(authConfig, this.#context.services.ids);
    const members = { content: { role: "model", parts: [part] }, longRunningToolIds: [id] };
    const more = { [OWN_REQUEST_KEY]: "refused", [PAUSED_KEY]: this.#taskId !== "" };
    return this.#complete(members, more, this.#isActive);
  }

  async eventOf(output: TaskOutput): Promise<Event | undefined> {
    switch (output.kind) {
      case "task":
        this.#taskId = output.taskId;
        this.#contextId = output.contextId;
        // Without a task there is nothing to follow.
        return output.taskId === "" ? undefined : this.#complete({}, {}, true);
      case "event": {
        const { members, progress, isAggregated = false, answer } = output;
        if (members.partial === true) return this.#context.createEvent(members);
        const more: Record<string, JsonObject[string]> = { [A2AMetadata.Key.RESPONSE]: { kind: answer } };
        if (progress !== undefined) more[ARTIFACT_KEY] = { id: progress.id, parts: progress.parts };
        if (isAggregated) more[A2AMetadata.Key.AGGREGATED] = "true";
        return this.#complete(members, more, true);
      }
      case "end":
        return this.#end(output.state, output.members);
      default:
        return output satisfies never;
    }
  }

  async #end(state: TaskState | undefined, members: EventMembers): Promise<Event> {
    const isWaiting = state !== undefined && isPaused(state);
    const asks = state === TASK_STATE.AUTH_REQUIRED && functionCalls(members).length === 0;
    const authConfig = asks ? await this.#access.request() : undefined;
    const { ids } = this.#context.services;
    const shown = isWaiting ? pauseQuestion({ members, ids, authConfig }) : members;
    const failed = state !== undefined && !isWaiting && shown.errorMessage !== undefined;
    const named = failed && shown.errorCode === undefined ? { ...shown, errorCode: "A2A_TASK_FAILED" } : shown;
    const answer = { kind: state === undefined ? "message" : "status", ...(state === undefined ? {} : { state }) };
    const more: Record<string, JsonObject[string]> = { [A2AMetadata.Key.RESPONSE]: answer, [PAUSED_KEY]: isWaiting };
    if (authConfig !== undefined) more[OWN_REQUEST_KEY] = "task";
    return this.#complete(named, more, false);
  }

  #complete({ partial: _, ...members }: EventMembers, more: JsonObject, isActive: boolean): Event {
    this.#isActive = isActive;
    const given = isJsonObject(members.customMetadata) ? members.customMetadata : {};
    const customMetadata: Record<string, JsonObject[string]> = { ...given, ...more };
    const peer = this.#peer?.();
    if (peer !== undefined) customMetadata[PEER_KEY] = peer;
    this.#peer = undefined;
    if (this.#taskId !== "") customMetadata[AdkMetadataKey.TASK_ID] = this.#taskId;
    if (this.#contextId !== "") customMetadata[AdkMetadataKey.CONTEXT_ID] = this.#contextId;
    return this.#context.withAgentState(this.#context.createEvent({ ...members, customMetadata }), { isActive });
  }
}

/** How much of an artifact an event completes. */
const ARTIFACT_KEY = "a2a:artifact";

function progressOf({ past, agent, branch }: InvocationContext): readonly ArtifactProgress[] {
  return (past?.ownEventsOf(agent, branch) ?? []).flatMap(({ customMetadata }) => {
    const given = isJsonObject(customMetadata) ? customMetadata[ARTIFACT_KEY] : undefined;
    if (!isJsonObject(given)) return [];
    const { id, parts } = given;
    return typeof id === "string" && typeof parts === "number" ? [{ id, parts }] : [];
  });
}

function isPausedAt(context: InvocationContext): boolean {
  const newest = newestAnswer(context);
  return isJsonObject(newest?.customMetadata) && newest.customMetadata[PAUSED_KEY] === true;
}

/** The time limit from one answer of the remote to the next. */
class AnswerTime implements Disposable {
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(signal: AbortSignal, limitMs: number) {
    this.limitMs = limitMs;
    this.signal = AbortSignal.any([signal, this.#abort.signal]);
    this.#timer = setTimeout(() => this.#abort.abort(), limitMs);
  }

  get isOver(): boolean {
    return this.#abort.signal.aborted;
  }

  restart(): void {
    this.#timer.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

interface FetchOptions {
  readonly headers: RequestHeaders;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A `fetch` that uses the run's `outbound`, because definitions and cards can name any address. */
function guardedFetch({ outbound, span }: InvocationContext, { headers, signal, timeoutMs }: FetchOptions): Fetch {
  return (input, init) => {
    const all = new Headers(init?.headers);
    // The remote's spans become children of this agent's.
    all.set("traceparent", span.traceParent);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const request = { ...init, headers: all, signal: init?.signal ?? signal };
    return outbound === undefined
      ? fetch(input, request)
      : outbound.fetch(input, { ...request, acceptsEventStream: true, timeoutMs });
  };
}

/** Whether the run has ended for good. A run that another runner recovers keeps its task. */
function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof PlatformError && ["RUN_CANCELLED", "RUN_TIMED_OUT"].includes(reason.reason);
}

async function cancelTask(client: A2AClient, id: string, { services }: InvocationContext): Promise<void> {
  try {
    const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
    await client.cancelTask({ tenant: "", id, metadata: undefined }, { signal });
  } catch (error) {
    // The run ends as cancelled whether or not the remote does.
    services.logger.warn({ error }, "a remote agent's task could not be cancelled");
  }
}
