import type { FunctionCall, Part } from "#kit/events/content.ts";
import { CONFIRMATION_CALL, INPUT_CALL } from "#kit/events/reserved-calls.ts";
import { readOriginalCall } from "#kit/llm-agent/questions/read-answer.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { visible } from "../output/terminal.ts";

/** Prompts with the text and returns the typed line; undefined if the user gives none. */
export type Ask = (text: string) => Promise<string | undefined>;

/**
 * Asks the user for the answer to a waiting call and returns it as the part to send; undefined if they do not answer.
 */
export async function answerCall(
  call: FunctionCall,
  ask: Ask,
  write: (text: string) => void,
): Promise<Part | undefined> {
  write(`${describeWaiting(call)}\n`);
  const response = call.name === CONFIRMATION_CALL ? await decision(call, ask, write) : await answer(ask);
  if (response === undefined) return undefined;
  const { id, name } = call;
  return { functionResponse: { id, name, response } };
}

/**
 * The call in full, as the user must see it before deciding; control characters of the terminal are shown as escapes.
 */
export function describeWaiting(call: FunctionCall): string {
  const message = call.name === INPUT_CALL ? call.args?.["message"] : undefined;
  if (typeof message === "string") return `? ${visible(message)}`;
  const original = call.name === CONFIRMATION_CALL ? readOriginalCall(call.args) : undefined;
  if (original === undefined) return `? ${shown(call)} waits for an answer.`;
  const { hint } = confirmationOf(call);
  const reason = typeof hint === "string" && hint !== "" ? ` ${visible(hint)}` : "";
  return `? ${shown(original)} needs confirmation.${reason}`;
}

async function decision(call: FunctionCall, ask: Ask, write: (text: string) => void): Promise<JsonObject | undefined> {
  const typed = await ask("Approve? [y/N] ");
  if (typed === undefined) return undefined;
  if (!/^\s*(?:y|yes)\s*$/i.test(typed)) return { confirmed: false };
  const { payload } = confirmationOf(call);
  if (payload === undefined || payload === null) return { confirmed: true };
  const changed = await readPayload(payload, ask, write);
  return changed === undefined ? undefined : { confirmed: true, payload: changed };
}

async function readPayload(given: JsonValue, ask: Ask, write: (text: string) => void): Promise<JsonValue | undefined> {
  write(`  payload ${visible(JSON.stringify(given))}\n`);
  for (;;) {
    const typed = await ask("Payload as JSON [Enter sends it as it is] ");
    if (typed === undefined) return undefined;
    if (typed.trim() === "") return given;
    const value = parsed(typed);
    if (value !== undefined) return value;
    write("  That is not JSON.\n");
  }
}

/** The answer in the developer UI's form: an object as it is, any other text as `result`. */
async function answer(ask: Ask): Promise<JsonObject | undefined> {
  const typed = await ask("Answer: ");
  if (typed === undefined) return undefined;
  const value = parsed(typed);
  return isJsonObject(value) ? value : { result: typed };
}

function confirmationOf({ args }: FunctionCall): JsonObject {
  const confirmation = args?.["toolConfirmation"];
  return isJsonObject(confirmation) ? confirmation : {};
}

function shown({ name = "", args = {} }: FunctionCall): string {
  return visible(`${name}(${JSON.stringify(args)})`);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // The caller handles text that is not JSON.
    return undefined;
  }
}
