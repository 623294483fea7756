import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { recordedValue } from "#kit/events/recorded-events.ts";
import type { BaseComputer } from "./base-computer.ts";

/** The computer of a call. */
export interface OpenedComputer {
  readonly computer: BaseComputer;
  /**
   * The page that the session saw last, if this computer has never shown it: the one before was closed, or it belonged
   * to another process.
   */
  readonly lostUrl: string | undefined;
}

/** The computers that a toolset has initialised, and the pages that sessions saw last. */
export class ComputerSessions {
  readonly #computer: BaseComputer;
  readonly #ready = new WeakMap<BaseComputer, Promise<void>>();

  constructor(computer: BaseComputer) {
    this.#computer = computer;
  }

  async open(context: ToolContext): Promise<OpenedComputer> {
    const computer = await this.#computer.forSession(context);
    const known = this.#ready.get(computer);
    if (known !== undefined) {
      await known;
      return { computer, lostUrl: undefined };
    }
    const initialized = computer.initialize();
    this.#ready.set(computer, initialized);
    try {
      await initialized;
    } catch (error) {
      this.#ready.delete(computer);
      throw error;
    }
    // Clients can write the state: they would choose the page that the computer opens.
    const url = recordedValue(context.invocationContext.session.events, urlKey(context));
    return { computer, lostUrl: typeof url === "string" ? url : undefined };
  }

  /** Stores the page that the session sees, so that another process can open it again. */
  saw(url: string | undefined, context: ToolContext): void {
    if (url !== undefined && context.state.get(urlKey(context)) !== url) context.state.set(urlKey(context), url);
  }
}

/** Agents of one session may have computers of their own. */
function urlKey({ agentName }: ToolContext): string {
  return `${agentName}_computer_url`;
}
