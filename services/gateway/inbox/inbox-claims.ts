import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import {
  type InboxClaim,
  type InboxEntryKey,
  type InboxNote,
  type InboxStore,
  isClaimedByOther,
} from "#ports/inbox/inbox-store.ts";
import type { RouteDeps } from "../deps.ts";
import type { Caller } from "../identity/caller.ts";
import { notWaiting } from "./answer-entry.ts";

/** How long a claim counts, unless it is repeated. */
export const CLAIM_MS: number = 15 * 60_000;

export const ClaimSchema = Type.Object({
  by: Type.String({ description: "The user who works on an answer, or the name of the caller's credentials." }),
  mine: Type.Boolean({ description: "Whether it is the caller's." }),
  since: Type.Integer({ description: "Milliseconds since the epoch." }),
  until: Type.Integer({ description: "When it ends, unless it is repeated." }),
});

export const NewClaim = Type.Object({
  takeOver: Type.Optional(Type.Boolean({ description: "Replaces the claim of somebody else. False if absent." })),
});

/** Claims of entries, which say who works on an answer. A server without a store for them has none. */
export class InboxClaims {
  readonly #deps: Pick<RouteDeps, "inboxStore" | "clock">;

  constructor(deps: Pick<RouteDeps, "inboxStore" | "clock">) {
    this.#deps = deps;
  }

  get areKept(): boolean {
    return this.#deps.inboxStore !== undefined;
  }

  /** The notes of the entries, in their order. */
  async notesOf(runs: readonly RunRecord[]): Promise<readonly (InboxNote | undefined)[]> {
    const { inboxStore } = this.#deps;
    return inboxStore === undefined ? runs.map(() => undefined) : inboxStore.read(runs.map(entryOf));
  }

  /** Throws `CLAIMS_OFF`, `NOT_WAITING`, `CLAIMED`. */
  async claim(run: RunRecord, caller: Caller, takeOver = false): Promise<Static<typeof ClaimSchema>> {
    const store = this.#store;
    if (run.status !== "awaiting_input" || run.answeredBy !== undefined) throw notWaiting(run);
    const nowMs = this.#deps.clock.now();
    const by = nameOf(caller);
    const claim = await store.claim(entryOf(run), { by, nowMs, untilMs: nowMs + CLAIM_MS, takeOver });
    if (claim.by !== by) throw claimed(run, claim);
    return toWireClaim(claim, caller);
  }

  /** Throws `CLAIMS_OFF`, `CLAIMED`. */
  async release(run: RunRecord, caller: Caller): Promise<void> {
    const holder = await this.#store.release(entryOf(run), nameOf(caller), this.#deps.clock.now());
    if (holder !== undefined) throw claimed(run, holder);
  }

  /** Throws `CLAIMED` if somebody else has the entry. */
  async assertFree(run: RunRecord, caller: Caller): Promise<void> {
    const [note] = await this.notesOf([run]);
    if (isClaimedByOther(note?.claim, nameOf(caller), this.#deps.clock.now())) throw claimed(run, note.claim);
  }

  /** The entry is answered. */
  async drop(run: RunRecord): Promise<void> {
    await this.#deps.inboxStore?.drop(entryOf(run));
  }

  /** The claim, if it counts. */
  wireClaim(note: InboxNote | undefined, caller: Caller): Static<typeof ClaimSchema> | undefined {
    const claim = note?.claim;
    return claim === undefined || claim.untilMs <= this.#deps.clock.now() ? undefined : toWireClaim(claim, caller);
  }

  get #store(): InboxStore {
    const { inboxStore } = this.#deps;
    if (inboxStore !== undefined) return inboxStore;
    throw new PlatformError("CLAIMS_OFF", "This server keeps no claims: set INBOX, for example to sqlite.");
  }
}

function entryOf({ session, runId }: RunRecord): InboxEntryKey {
  return { session, runId };
}

function nameOf({ userId, subject }: Caller): string {
  return userId ?? subject;
}

function toWireClaim({ by, sinceMs, untilMs }: InboxClaim, caller: Caller): Static<typeof ClaimSchema> {
  return { by, mine: by === nameOf(caller), since: sinceMs, until: untilMs };
}

function claimed({ runId }: RunRecord, { by, untilMs }: InboxClaim): PlatformError {
  return new PlatformError(
    "CLAIMED",
    `"${by}" has claimed the entry "${runId}". Send \`takeOver: true\` to answer or claim it all the same.`,
    { details: { runId, claimedBy: by, claimedUntil: String(untilMs) } },
  );
}
