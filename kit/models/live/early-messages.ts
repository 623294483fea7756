import type { JsonObject } from "#kit/platform/json.ts";

/** A provider has nothing to say before it is spoken to, besides some notices. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MAX_MESSAGES = 10_000;

/** The messages of a session that is open and not used yet: it may wait for the end of a turn of another one. */
export class EarlyMessages {
  #messages: JsonObject[] | undefined = [];
  #characters = 0;

  /** Keeps the message. Returns `late` if the session is used, so that the caller handles it, and `full` for too many. */
  hold(message: JsonObject): "held" | "late" | "full" {
    if (this.#messages === undefined) return "late";
    this.#characters += JSON.stringify(message).length;
    if (this.#characters > MAX_CHARACTERS || this.#messages.length >= MAX_MESSAGES) return "full";
    this.#messages.push(message);
    return "held";
  }

  /** The messages so far; the session is used from now on. */
  take(): readonly JsonObject[] {
    const taken = this.#messages ?? [];
    this.#messages = undefined;
    return taken;
  }
}
