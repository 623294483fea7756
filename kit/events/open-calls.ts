import { type Event, functionResponses, USER_AUTHOR } from "./event.ts";

/**
 * Whose response closes a call: any, or only the user's. The tool's own is then an interim result, unless it is an error:
 * a call that has failed waits for nothing.
 */
export type ClosedBy = "any" | "user";

/** Collects the long-running calls that are still open from a sequence of events. */
export class OpenCalls {
  readonly #ids = new Set<string>();
  /** Those of them whose tool has answered with an error. */
  readonly #failed = new Set<string>();
  readonly #closedBy: ClosedBy;

  constructor(closedBy: ClosedBy) {
    this.#closedBy = closedBy;
  }

  get size(): number {
    return this.#ids.size - this.#failed.size;
  }

  has(callId: string): boolean {
    return this.#ids.has(callId) && !this.#failed.has(callId);
  }

  watch(event: Event): void {
    for (const id of event.longRunningToolIds ?? []) this.#ids.add(id);
    if (this.#ids.size === 0) return;
    const isFinal = this.#closedBy === "any" || event.author === USER_AUTHOR;
    for (const { id, response } of functionResponses(event)) {
      if (id === undefined || !this.#ids.has(id)) continue;
      if (isFinal) this.#ids.delete(id);
      if (!isFinal && response?.["error"] !== undefined) this.#failed.add(id);
      // A call that was refused until its confirmation begins with a later response.
      else this.#failed.delete(id);
    }
  }
}
