import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content, Part } from "#kit/events/content.ts";
import { CONFIRMATION_CALL, CREDENTIAL_CALL, INPUT_CALL, isReservedCall } from "#kit/events/reserved-calls.ts";

/** Refuses a message that only an agent may write, or that is empty. Throws `INVALID_MESSAGE`. */
export function checkMessage(message: Content): void {
  const parts = message.parts ?? [];
  if (parts.length === 0)
    throw invalid('newMessage.parts is empty: give at least one part, such as {"text": "hello"}.');
  if (message.role !== undefined && message.role !== "user") {
    throw invalid(`newMessage.role is "${message.role}": a client speaks as "user".`);
  }
  const answered = new Map<string, number>();
  const responses = parts.filter((part) => part.functionResponse !== undefined).length;
  for (const [index, part] of parts.entries()) {
    if (part.functionCall !== undefined) {
      throw invalid(
        `newMessage.parts.${index}.functionCall: only a model calls functions; answer a call with functionResponse.`,
      );
    }
    checkResponse(part, `newMessage.parts.${index}.functionResponse`);
    checkOnce(part, index, answered);
    if (Object.keys(part).length === 0)
      throw invalid(`newMessage.parts.${index} is empty: set text, inlineData or another member.`);
  }
  if (responses > 0 && parts.some((part) => part.text !== undefined && part.text.trim() !== "")) {
    throw invalid(
      "newMessage mixes functionResponse parts with text: send the answer to a call in a message of its own.",
    );
  }
}

/** The framework's questions have reserved names. Every answer names the call or the question by its id. */
function checkResponse({ functionResponse }: Part, path: string): void {
  if (functionResponse === undefined) return;
  const { id, name } = functionResponse;
  if (isReservedCall(name) && name !== CONFIRMATION_CALL && name !== INPUT_CALL && name !== CREDENTIAL_CALL)
    throw invalid(`${path}.name is "${name}": names that begin with adk_request_ are reserved.`);
  if (id === undefined || id === "")
    throw invalid(`${path}.id is missing: give the id of the call${name === undefined ? "" : ` "${name}"`}.`);
}

function checkOnce({ functionResponse }: Part, index: number, answered: Map<string, number>): void {
  const { id, name } = functionResponse ?? {};
  // Of two answers to a question of the framework, the first counts.
  if (id === undefined || isReservedCall(name)) return;
  const first = answered.get(id);
  if (first !== undefined)
    throw invalid(
      `newMessage.parts.${index} answers the call "${id}", as newMessage.parts.${first} does: answer it once.`,
    );
  answered.set(id, index);
}

function invalid(message: string): PlatformError {
  return new PlatformError("INVALID_MESSAGE", message, { details: { field: "newMessage" } });
}
