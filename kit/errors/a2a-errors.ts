import { PlatformError } from "./platform-error.ts";

/** A call of a remote agent failed. The message names the agent of this app that called. */
export class A2AClientError extends PlatformError {
  constructor(message: string, cause?: unknown) {
    super("A2A_CLIENT", message, { cause });
  }
}

/** The card of a remote agent cannot be read, or names no address that can be called. */
export class AgentCardResolutionError extends PlatformError {
  constructor(message: string, cause?: unknown) {
    super("AGENT_CARD_RESOLUTION", message, { cause });
  }
}
