import type { ToolConfirmation } from "#kit/events/event-actions.ts";
import type { JsonObject } from "#kit/platform/json.ts";

/** What a call is answered with instead of being run when the user has rejected it. */
export function rejection({ payload }: ToolConfirmation): JsonObject {
  return { error: "The user rejected this call. It did not run.", ...(payload !== undefined && { payload }) };
}
