import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** Members of a body that is not an answer, in which servers say why. */
const TEXTS = ["message", "msg", "error_message", "error_msg", "errorMessage", "detail"] as const;

/**
 * Throws the failure that stands in the place of an answer, or within one. `isAnswer` is true for a body that has what
 * answers have: its other members say nothing of a failure.
 */
export function throwFailure(body: JsonObject, { isAnswer }: { readonly isAnswer: boolean }): void {
  const { error, object, type, base_resp: status } = body;
  if (isSaid(error)) throw failureOf(error);
  if (object === "error" || type === "error") throw failureOf(body);
  if (isAnswer) return;
  // MiniMax's form.
  if (isJsonObject(status) && status["status_code"] !== 0 && isSaid(status["status_msg"]))
    throw failureOf(status["status_msg"]);
  const text = TEXTS.map((name) => body[name]).find(isSaid);
  if (text !== undefined) throw failureOf({ ...body, message: textOf(text) });
}

function failureOf(error: JsonValue): Error {
  const message = isJsonObject(error) ? textOf(error["message"] ?? error) : textOf(error);
  return Object.assign(new Error(message), { error: isJsonObject(error) ? { ...error, message } : { message } });
}

function isSaid(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== false && value !== "";
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
