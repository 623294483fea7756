import { inspect } from "node:util";
import { REDACTED } from "../errors/redact.ts";

/** A shorter value is no secret, such as the placeholder that a local server accepts for a key. */
const MIN_SECRET_CHARACTERS = 8;

/** The keys and header values that one call sends: providers and proxies may quote them in their errors. */
export class CallSecrets {
  readonly #secrets = new Set<string>();

  add(...secrets: readonly unknown[]): void {
    for (const secret of secrets)
      if (typeof secret === "string" && secret.length >= MIN_SECRET_CHARACTERS) this.#secrets.add(secret);
  }

  redact(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, REDACTED);
    return clean;
  }

  /** The error unchanged, or if it contains a secret anywhere, an error with only its name, text and stack, redacted. */
  redactError(error: unknown): unknown {
    const shown = inspect(error, { depth: 8, maxStringLength: null, maxArrayLength: null });
    if (this.redact(shown) === shown) return error;
    const { name, message, stack = "" } = error instanceof Error ? error : new Error(shown);
    const clean = new Error(this.redact(message));
    clean.name = name;
    clean.stack = this.redact(stack);
    return clean;
  }
}
