import { CallbackContext } from "../agents/callback-context.ts";
import type { InvocationContext } from "../agents/invocation-context.ts";
import { PlatformError } from "../errors/platform-error.ts";
import type { MutableEventActions } from "../events/event-actions.ts";
import type { SearchMemoryResponse } from "../memory/memory-service.ts";

/** What a tool works with during one call. */
export class ToolContext extends CallbackContext {
  /** Id of the call; equal when the same call is run again, so it serves as idempotency key. */
  readonly functionCallId: string | undefined;

  constructor(
    invocationContext: InvocationContext,
    call: { functionCallId?: string | undefined; eventActions?: MutableEventActions } = {},
  ) {
    super(invocationContext, call.eventActions);
    this.functionCallId = call.functionCallId;
  }

  get actions(): MutableEventActions {
    return this.eventActions;
  }

  /** Aborts when the run is cancelled. */
  get signal(): AbortSignal {
    return this.invocationContext.signal;
  }

  async searchMemory(query: string): Promise<SearchMemoryResponse> {
    const { memoryService, session } = this.invocationContext;
    if (memoryService === undefined) {
      throw new PlatformError("SERVICE_MISSING", "This runner has no memory service: pass memoryService to it.");
    }
    return memoryService.searchMemory({ appName: session.appName, userId: session.userId }, query);
  }
}
