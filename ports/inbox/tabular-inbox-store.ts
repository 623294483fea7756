import { tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { changeRows } from "#ports/rows/change-rows.ts";
import { dueRow, dueWrites, listDueRows, takeDueRow } from "#ports/rows/due-rows.ts";
import { keyDigest, keyPart, MAX_COMMIT_ROWS, type Row, type RowTable, type RowWrite } from "#ports/rows/row-table.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import type { DeleteDataRequest, DeleteDataResponse } from "#ports/tenants/tenant-data.ts";
import {
  type ClaimRequest,
  type DueEntry,
  type Expiry,
  type InboxClaim,
  type InboxEntryKey,
  type InboxNote,
  type InboxStore,
  isClaimedByOther,
  type TakenEntry,
} from "./inbox-store.ts";

/** The content of an entry's row. */
interface Kept extends InboxNote {
  readonly entry: InboxEntryKey;
  /** When the run is looked at; absent for one that has only a claim. */
  readonly lookMs?: number | undefined;
  /** When the row is looked at, or the end of its lease. */
  readonly dueMs: number;
  /** Of the process that has it; changes with each lease. */
  readonly lease?: string | undefined;
}

/** A commit removes the row of an entry and the row of its time. */
const ENTRIES_OF_COMMIT = MAX_COMMIT_ROWS / 2;

/**
 * Entries over a table of rows: `entry/{tenant}/{user}/{digest of the run's id}`, and `due/{time}/{digest of that key}`,
 * which changes with it in one commit. An entry has a row while its run may need an answer, or somebody has claimed it.
 */
export class TabularInboxStore implements InboxStore {
  readonly #table: RowTable;

  constructor({ table }: { readonly table: RowTable }) {
    this.#table = table;
  }

  async watch(entry: InboxEntryKey, expiry: Expiry): Promise<void> {
    const lookMs = expiry.sinceMs + expiry.afterMs;
    await this.#change(entry, (kept) =>
      kept?.expiry === undefined ? { claim: kept?.claim, expiry, lookMs } : undefined,
    );
  }

  async read(entries: readonly InboxEntryKey[]): Promise<readonly (InboxNote | undefined)[]> {
    if (entries.length === 0) return [];
    const keys = entries.map(entryRow);
    const rows = await this.#table.read([...new Set(keys)]);
    return keys.map((key) => {
      const kept = keptOf(rows.get(key));
      return kept && { expiry: kept.expiry, claim: kept.claim };
    });
  }

  claim(entry: InboxEntryKey, { by, nowMs, untilMs, takeOver }: ClaimRequest): Promise<InboxClaim> {
    const key = entryRow(entry);
    return changeRows(this.#table, [key], (rows) => {
      const before = keptOf(rows.get(key));
      const earlier = before?.claim;
      if (!takeOver && isClaimedByOther(earlier, by, nowMs)) return { writes: [], result: earlier };
      const isExtended = earlier?.by === by && earlier.untilMs > nowMs;
      const claim = { by, sinceMs: isExtended ? earlier.sinceMs : nowMs, untilMs };
      return { writes: changeOf(key, entry, before, { ...before, claim }), result: claim };
    });
  }

  release(entry: InboxEntryKey, by: string, nowMs: number): Promise<InboxClaim | undefined> {
    const key = entryRow(entry);
    return changeRows(this.#table, [key], (rows) => {
      const before = keptOf(rows.get(key));
      if (isClaimedByOther(before?.claim, by, nowMs)) return { writes: [], result: before?.claim };
      if (before?.claim === undefined) return { writes: [], result: undefined };
      return { writes: changeOf(key, entry, before, { ...before, claim: undefined }), result: undefined };
    });
  }

  async drop(entry: InboxEntryKey): Promise<void> {
    await this.#change(entry, (kept) => (kept?.claim === undefined ? undefined : { ...kept, claim: undefined }));
  }

  async listDue(limit: number): Promise<readonly DueEntry[]> {
    return (await listDueRows(this.#table, limit)).map(({ key, dueMs }) => ({ key, dueMs }));
  }

  async take(due: DueEntry, untilMs: number): Promise<TakenEntry | undefined> {
    const taken = await takeDueRow<Kept>(this.#table, { due, untilMs, keptOf, writesOf });
    if (taken === undefined) return undefined;
    const { entry, expiry, lease } = taken.before;
    return { key: due.key, lease: taken.lease, entry, expiry, wasLost: lease !== undefined };
  }

  async settle({ key, lease }: TakenEntry, nextMs: number | undefined, nowMs: number): Promise<void> {
    await changeRows(this.#table, [key], (rows) => {
      const before = keptOf(rows.get(key));
      if (before === undefined || before.lease !== lease) return { writes: [], result: undefined };
      const claim = before.claim !== undefined && before.claim.untilMs > nowMs ? before.claim : undefined;
      const expiry = nextMs === undefined ? undefined : before.expiry;
      const given = { ...before, lease: undefined };
      return { writes: changeOf(key, before.entry, given, { expiry, claim, lookMs: nextMs }), result: undefined };
    });
  }

  async deleteData({ limit, ...owner }: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(owner);
    const { tenantId, userId } = owner;
    const prefix = userId === undefined ? `entry/${tenantOf({ tenantId })}/` : rowsOfUser({ tenantId, userId });
    const { rows } = await this.#table.list({ prefix, limit: Math.min(limit, ENTRIES_OF_COMMIT) });
    if (rows.length > 0) await this.#table.commit(rows.flatMap(removalOf));
    return { deleted: rows.length, isDone: rows.length === 0 };
  }

  async #change(entry: InboxEntryKey, decide: (kept: Kept | undefined) => Content | undefined): Promise<void> {
    const key = entryRow(entry);
    await changeRows(this.#table, [key], (rows) => {
      const before = keptOf(rows.get(key));
      const after = decide(before);
      return { writes: after === undefined ? [] : changeOf(key, entry, before, after), result: undefined };
    });
  }
}

type Content = Pick<Kept, "expiry" | "claim" | "lookMs">;

/** The writes of new content. A row that a process has keeps its lease; one without content is removed. */
function changeOf(key: string, entry: InboxEntryKey, before: Kept | undefined, after: Content): readonly RowWrite[] {
  const { expiry, claim, lookMs } = after;
  const dueMs = Math.min(lookMs ?? Number.POSITIVE_INFINITY, claim?.untilMs ?? Number.POSITIVE_INFINITY);
  if (before?.lease !== undefined)
    return writesOf(key, { entry, expiry, claim, lookMs, dueMs: before.dueMs, lease: before.lease }, before);
  if (!Number.isFinite(dueMs)) return [{ key, value: undefined }, ...dueWrites(key, { fromMs: before?.dueMs })];
  return writesOf(key, { entry, expiry, claim, lookMs, dueMs }, before);
}

function writesOf(key: string, kept: Kept, before?: Kept): readonly RowWrite[] {
  // Members without a value are not stored.
  const write = { key, value: JSON.parse(JSON.stringify(kept)) };
  return [write, ...dueWrites(key, { fromMs: before?.dueMs, toMs: kept.dueMs })];
}

/** If the time has moved since the row was read, `take` removes its row when it is due. */
function removalOf(row: Row): readonly RowWrite[] {
  return [row.key, dueRow(keptOf(row).dueMs, row.key)].map((key) => ({ key, value: undefined }));
}

function rowsOfUser(user: Pick<SessionKey, "tenantId" | "userId">): string {
  return `entry/${tenantOf(user)}/${keyPart(user.userId)}/`;
}

function entryRow({ session, runId }: InboxEntryKey): string {
  return `${rowsOfUser(session)}${keyDigest([session.appName, runId])}`;
}

function keptOf(row: Row): Kept;
function keptOf(row: Row | undefined): Kept | undefined;
function keptOf(row: Row | undefined): Kept | undefined {
  // Written by `writesOf`.
  return row?.value as unknown as Kept | undefined;
}
