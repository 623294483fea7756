import type { Event } from "#kit/events/event.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Runner } from "#kit/runs/runner.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import type { Session } from "#kit/sessions/session.ts";

const USER_ID = "user";

const HELP = `  /new     begin a new conversation
  /state   print the state of the session
  /help    print these commands
  /exit    end the chat
  Ctrl-C cancels an answer, Ctrl-D ends the chat.`;
const COMMANDS = ["/new", "/state", "/help", "/exit"];

export interface ConversationOptions {
  readonly runner: Runner;
  readonly ids: IdGenerator;
  /** The session to continue, or to create under this id; absent: a new one. */
  readonly sessionId?: string | undefined;
}

/** The session that the terminal talks in, and the commands that are typed between messages. */
export class Conversation {
  readonly runner: Runner;
  readonly #ids: IdGenerator;
  #sessionId: string;

  constructor({ runner, ids, sessionId }: ConversationOptions) {
    this.runner = runner;
    this.#ids = ids;
    this.#sessionId = sessionId ?? ids.next();
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  get userId(): string {
    return USER_ID;
  }

  /** Creates the session if it does not exist, and returns the events that it has. */
  async open(): Promise<readonly Event[]> {
    const session = await this.#session();
    if (session !== undefined) return session.events;
    await this.runner.sessionService.createSession({ ...this.#key, id: this.#sessionId });
    return [];
  }

  /** What a typed line does: a command is executed, and what it prints returned; any other line is a message. */
  async read(
    line: string,
  ): Promise<{ readonly kind: "message" | "exit" } | { readonly kind: "print"; readonly text: string }> {
    const command = line.trim();
    if (!/^\/[a-z]+$/i.test(command)) return { kind: "message" };
    switch (command.toLowerCase()) {
      case "/exit":
        return { kind: "exit" };
      case "/help":
        return { kind: "print", text: HELP };
      case "/state":
        return { kind: "print", text: JSON.stringify((await this.#session())?.state ?? {}, null, 2) };
      case "/new":
        this.#sessionId = this.#ids.next();
        await this.open();
        return { kind: "print", text: `A new conversation begins: session ${this.#sessionId}.` };
      default: {
        const hint = suggestion(command, COMMANDS) || ". /help lists them.";
        return { kind: "print", text: `There is no command "${command}"${hint}` };
      }
    }
  }

  get #key() {
    return { appName: this.runner.app.name, userId: USER_ID };
  }

  #session(): Promise<Session | undefined> {
    return this.runner.sessionService.getSession({ ...this.#key, id: this.#sessionId });
  }
}
