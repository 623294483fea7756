import { PlatformError } from "../errors/platform-error.ts";

const EVAL_SET_ID = /^[a-zA-Z0-9_-]{1,128}$/;

export function isEvalSetId(value: unknown): value is string {
  return typeof value === "string" && EVAL_SET_ID.test(value);
}

/**
 * Throws `INVALID_IDENTIFIER`. Narrower than other identifiers, because the id is part of a file name that other
 * programs read too.
 */
export function assertEvalSetId(value: unknown): asserts value is string {
  if (isEvalSetId(value)) return;
  throw new PlatformError(
    "INVALID_IDENTIFIER",
    "The evaluation set's id (eval_set_id) must be 1 to 128 letters, digits, underscores or dashes.",
    { details: { field: "eval_set_id" } },
  );
}
