import type { FunctionCall, FunctionResponse } from "#kit/events/content.ts";
import type { ToolConfirmation } from "#kit/events/event-actions.ts";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/**
 * Reads the user's decision: `{confirmed, payload}`, or the same as a JSON text under `response`. Undefined unless it
 * is clearly yes or no.
 */
export function readDecision({ response }: FunctionResponse): ToolConfirmation | undefined {
  const decision = unwrap(response);
  if (decision === undefined || typeof decision["confirmed"] !== "boolean") return undefined;
  const { confirmed, hint, payload } = decision;
  return {
    confirmed: confirmed === true,
    hint: typeof hint === "string" ? hint : undefined,
    payload: payload !== undefined && payload !== null ? payload : undefined,
  };
}

/** The call that an answer, or a question, contains; undefined if it contains none. */
export function readOriginalCall(value: JsonObject | undefined): FunctionCall | undefined {
  const call = unwrap(value)?.["originalFunctionCall"];
  if (!isJsonObject(call)) return undefined;
  const { id, name, args = {} } = call;
  if (typeof id !== "string" || typeof name !== "string" || !isJsonObject(args)) return undefined;
  return { id, name, args };
}

/** Whether an answer contains a copy of the call. */
export function namesCall({ response }: FunctionResponse): boolean {
  return unwrap(response)?.["originalFunctionCall"] !== undefined;
}

export function isSameCall(a: FunctionCall | undefined, b: FunctionCall | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.id === b.id && a.name === b.name && canonicalJson(a.args ?? {}) === canonicalJson(b.args ?? {});
}

function unwrap(response: JsonObject | undefined): JsonObject | undefined {
  const wrapped = response?.["response"];
  if (wrapped === undefined || response?.["confirmed"] !== undefined) return response;
  const value = typeof wrapped === "string" ? parsed(wrapped) : wrapped;
  return isJsonObject(value) ? value : undefined;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // Text that is not JSON is not a decision; the caller refuses it.
    return undefined;
  }
}
