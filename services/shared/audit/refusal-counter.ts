import type { AuditDecision } from "#ports/audit/audit-event.ts";

/** How long equal refusals are counted in one record. */
export const WINDOW_MS = 60_000;
/** More kinds of refusals than this within a window are counted together, by their reasons. */
const MAX_KINDS = 100;
const OTHERS = "(others)";

interface Window {
  readonly endsAtMs: number;
  /** The refusals after the first, which has a record of its own. */
  count: number;
  last: AuditDecision;
}

/**
 * Keeps an attacker from filling the log: of equal refusals (caller, address, operation, reason) the first has a record,
 * and the others of the same minute have one together. Their number is bounded as well, because an attacker can have
 * many addresses.
 */
export class RefusalCounter {
  readonly #windows = new Map<string, Window>();

  /** The record to write now, if this refusal is the first of its kind. */
  admit(refusal: AuditDecision, nowMs: number): AuditDecision | undefined {
    const { subject, address = "", action, reason = "" } = refusal;
    const kind = JSON.stringify([subject, address, action, reason]);
    if (this.#windows.has(kind) || this.#windows.size < MAX_KINDS) return this.#admit(kind, refusal, nowMs);
    const { address: _address, keyId: _keyId, ...rest } = refusal;
    return this.#admit(`${OTHERS} ${reason}`, { ...rest, subject: OTHERS, action: OTHERS, resource: {} }, nowMs);
  }

  /** The records of windows that have ended; all windows if no time is given. */
  *ended(nowMs = Number.POSITIVE_INFINITY): Iterable<AuditDecision> {
    for (const [kind, { endsAtMs, count, last }] of this.#windows) {
      // Windows are in the order of their ends.
      if (endsAtMs > nowMs) return;
      this.#windows.delete(kind);
      if (count > 0) yield count === 1 ? last : { ...last, resource: {}, count };
    }
  }

  #admit(kind: string, refusal: AuditDecision, nowMs: number): AuditDecision | undefined {
    const window = this.#windows.get(kind);
    if (window === undefined) {
      this.#windows.set(kind, { endsAtMs: nowMs + WINDOW_MS, count: 0, last: refusal });
      return refusal;
    }
    window.count += 1;
    window.last = refusal;
    return undefined;
  }
}
