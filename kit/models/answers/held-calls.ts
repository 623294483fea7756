import { PlatformError } from "#kit/errors/platform-error.ts";

/** The largest number of parts that an answer may be allowed to have. */
export const MAX_ANSWER_PARTS = 100_000;

/**
 * For an adapter that keeps calls until their answer is complete: nothing that reads the answer counts them before that.
 * Throws `MODEL_ANSWER_TOO_LARGE`.
 */
export function checkHeldCalls(count: number): void {
  if (count > MAX_ANSWER_PARTS)
    throw new PlatformError("MODEL_ANSWER_TOO_LARGE", `The model's answer has more than ${MAX_ANSWER_PARTS} calls.`);
}
