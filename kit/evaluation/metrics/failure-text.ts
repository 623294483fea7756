import { PlatformError } from "#kit/errors/platform-error.ts";
import { redactText } from "#kit/errors/redact.ts";

/** Why something failed, for a remark in a result: one sentence, without keys. */
export function failureText(error: unknown): string {
  const text = error instanceof PlatformError || error instanceof Error ? error.message : String(error);
  return redactText(text);
}
