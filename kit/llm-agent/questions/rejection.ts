import type { ToolConfirmation } from "#kit/events/event-actions.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";

/** The response of a call that the user has rejected, and that did not run. */
export function rejection({ payload }: ToolConfirmation): JsonObject {
  return present({ error: "The user rejected this call. It did not run.", payload });
}
