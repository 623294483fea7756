import type { Content, FunctionCall, FunctionResponse, Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";

type WithContent = Pick<Event, "content">;

function partsOf({ content }: WithContent): readonly Part[] {
  return content?.parts ?? [];
}

/** The event's text without the model's thoughts: of a chunk what it adds, of a complete event all of it. */
export function textOf(event: WithContent): string {
  return joinText(event, false);
}

/** The text of the model's thoughts. */
export function thoughtsOf(event: WithContent): string {
  return joinText(event, true);
}

function joinText(event: WithContent, thought: boolean): string {
  const parts = partsOf(event).filter((part) => (part.thought === true) === thought);
  return parts.map(({ text = "" }) => text).join("");
}

/** The calls of tools in the event. */
export function callsOf(event: WithContent): readonly FunctionCall[] {
  return partsOf(event).flatMap(({ functionCall }) => functionCall ?? []);
}

/** The responses of tools in the event. */
export function responsesOf(event: WithContent): readonly FunctionResponse[] {
  return partsOf(event).flatMap(({ functionResponse }) => functionResponse ?? []);
}

/** The files in the event: parts with `inlineData` or `fileData`. */
export function filesOf(event: WithContent): readonly Part[] {
  return partsOf(event).filter(({ inlineData, fileData }) => inlineData !== undefined || fileData !== undefined);
}

/** A message of the user: a text, parts, or a whole message, which is returned as it is. */
export function toMessage(given: string | readonly Part[] | Content): Content {
  if (typeof given === "string") return { role: "user", parts: [{ text: given }] };
  return "length" in given ? { role: "user", parts: given } : given;
}

/** What an answer needs of a call: its id and its name. */
type AnsweredCall = Pick<FunctionCall, "id" | "name">;

/** The answer to a call of a long-running tool, as a part of the next message. */
export function createAnswer({ id, name }: AnsweredCall, response: JsonObject): Part {
  return { functionResponse: { id, name, response } };
}

/** A person's decision on a call. */
export interface Confirmation {
  readonly confirmed: boolean;
  /** What the tool asks for besides, where it does. */
  readonly payload?: JsonValue | undefined;
}

/** The answer to a call of `adk_request_confirmation`, as a part of the next message. */
export function createConfirmation(call: AnsweredCall, { confirmed, payload }: Confirmation): Part {
  return createAnswer(call, payload === undefined ? { confirmed } : { confirmed, payload });
}
