import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content, FunctionCall } from "#kit/events/content.ts";
import { isReservedCall } from "#kit/events/reserved-calls.ts";

/**
 * Refuses answers to calls that the session does not have, or under another name than the call's, before any part of
 * the message is stored. Answers to questions of the framework are checked by the agent that asked.
 */
export function checkAnswers(message: Content, calls: ReadonlyMap<string, FunctionCall>): void {
  for (const [index, { functionResponse }] of (message.parts ?? []).entries()) {
    if (functionResponse === undefined || isReservedCall(functionResponse.name)) continue;
    const { id = "", name } = functionResponse;
    const path = `newMessage.parts.${index}.functionResponse`;
    const call = calls.get(id);
    if (call === undefined) {
      throw new PlatformError(
        "FUNCTION_CALL_UNKNOWN",
        `${path}.id is "${id}", and the session has no such call: give the id of a functionCall in its events.`,
        { details: { field: "newMessage" } },
      );
    }
    if (isReservedCall(call.name) || call.name === name) continue;
    throw new PlatformError(
      "INVALID_MESSAGE",
      `${path}.name is ${name === undefined ? "missing" : `"${name}"`}: give "${call.name}", the name of the call "${id}".`,
      { details: { field: "newMessage" } },
    );
  }
}
