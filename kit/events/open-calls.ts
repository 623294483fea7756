import { type Event, functionResponses, USER_AUTHOR } from "./event.ts";

/** Whose response closes a call: any, or only the user's, because the tool's own is only an interim result. */
export type ClosedBy = "any" | "user";

/** Collects the long-running calls without a response from a sequence of events. */
export class OpenCalls {
  readonly #ids = new Set<string>();
  readonly #closedBy: ClosedBy;

  constructor(closedBy: ClosedBy) {
    this.#closedBy = closedBy;
  }

  get size(): number {
    return this.#ids.size;
  }

  has(callId: string): boolean {
    return this.#ids.has(callId);
  }

  watch(event: Event): void {
    for (const id of event.longRunningToolIds ?? []) this.#ids.add(id);
    if (this.#ids.size === 0 || (this.#closedBy === "user" && event.author !== USER_AUTHOR)) return;
    for (const { id } of functionResponses(event)) if (id !== undefined) this.#ids.delete(id);
  }
}
