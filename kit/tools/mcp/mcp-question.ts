import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { ToolInputRequest } from "#kit/events/event-actions.ts";
import type { JsonObject } from "#kit/platform/json.ts";

// Public types: without those of the protocol's SDK, which is an optional package.

/** A question of a server: a text, and the JSON schema of the answer if the server asks for data. */
export type McpQuestion = Pick<ToolInputRequest, "message" | "responseSchema">;

/**
 * Answers a server in place of the user: the data, or `{"action": "decline"}`, as a user's answer has it. Undefined lets
 * the user be asked.
 */
export type McpElicitationCallback = (
  question: McpQuestion,
  context: ToolContext,
) => JsonObject | undefined | Promise<JsonObject | undefined>;
