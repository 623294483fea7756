import { PlatformError } from "#kit/errors/platform-error.ts";
import { MAX_IDENTIFIER_BYTES } from "#kit/names/identifiers.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import { newRecordVersion } from "#ports/encryption/random-bytes.ts";
import { changeRows } from "#ports/rows/change-rows.ts";
import { dueRow, dueWrites, listDueRows, takeDueRow } from "#ports/rows/due-rows.ts";
import { keyPart, MAX_COMMIT_ROWS, type Row, type RowTable, type RowWrite } from "#ports/rows/row-table.ts";
import { removeRows } from "#ports/rows/walk-rows.ts";
import { decodePageToken, encodePageToken } from "#ports/sessions/page-token.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import type { DataPage, DeleteDataRequest, DeleteDataResponse, ListDataRequest } from "#ports/tenants/tenant-data.ts";
import { type Schedule, withTick } from "./schedule.ts";
import type {
  DueSchedule,
  ListSchedulesRequest,
  ScheduleKey,
  SchedulePage,
  ScheduleStore,
  Settlement,
  TakenSchedule,
} from "./schedule-store.ts";

/** The content of a schedule's row. */
interface Kept {
  readonly schedule: Schedule;
  /** Absent for a schedule without a next tick. */
  readonly dueMs?: number | undefined;
  /** Of the process that has it; changes with each lease. */
  readonly lease?: string | undefined;
}

/** A schedule is a row, the row that lists it for its user, and the row of its time. */
const SCHEDULES_OF_COMMIT = Math.floor(MAX_COMMIT_ROWS / 3);
/** Rows that one page of a list may look at. */
const MAX_SCANNED = 1000;
/** A page ends with the schedule that makes its JSON so long. */
export const SCHEDULE_PAGE_CHARACTERS: number = 512 * 1024;

/**
 * Schedules over a table of rows: `schedule/{tenant}/{id}`, `of/{tenant}/{user}/{id}`, which lists it for its user, and
 * `due/{time}/{digest of the key}`, which changes with it in one commit. A new schedule also changes
 * `room/{tenant}/{user}`, so that concurrent ones cannot exceed the limit.
 */
export class TabularScheduleStore implements ScheduleStore {
  readonly #table: RowTable;

  constructor({ table }: { readonly table: RowTable }) {
    this.#table = table;
  }

  create(schedule: Schedule, limit: number): Promise<boolean> {
    const key = scheduleRow({ ...schedule, scheduleId: schedule.id });
    const room = `room/${tenantOf(schedule)}/${keyPart(schedule.userId)}`;
    return changeRows(this.#table, [key, room], async (rows) => {
      if (rows.has(key)) return { writes: [], result: false };
      const prefix = rowsOfUser(schedule);
      if ((await this.#table.listKeys({ prefix, limit })).length >= limit) throw tooMany(limit);
      const listed = { key: userRow(schedule), value: {} };
      const changed = { key: room, value: { changed: newRecordVersion() } };
      return { writes: [...writesOf(key, { schedule, dueMs: schedule.nextMs }), listed, changed], result: true };
    });
  }

  async get(key: ScheduleKey): Promise<Schedule | undefined> {
    if (!isId(key.scheduleId)) return undefined;
    const row = scheduleRow(key);
    return keptOf((await this.#table.read([row])).get(row))?.schedule;
  }

  async list({ pageSize, pageToken, ...request }: ListSchedulesRequest): Promise<SchedulePage> {
    const { userId, appName } = request;
    const prefix = userId === undefined ? rowsOfTenant(request) : rowsOfUser({ ...request, userId });
    const list = JSON.stringify(["schedules", prefix, appName]);
    let after = pageToken === undefined ? undefined : prefix + decodePageToken(list, pageToken).id;
    const schedules: Schedule[] = [];
    let characters = 0;
    for (let scanned = 0; scanned < MAX_SCANNED; ) {
      const limit = Math.min(pageSize - schedules.length, MAX_COMMIT_ROWS);
      const keys = await this.#table.listKeys({ prefix, after, limit });
      if (keys.length === 0) return { schedules };
      const rows = keys.map((key) => scheduleRow({ ...request, scheduleId: idIn(key) }));
      const found = await this.#table.read(rows);
      for (const [index, row] of rows.entries()) {
        after = keys[index];
        scanned += 1;
        const schedule = keptOf(found.get(row))?.schedule;
        if (schedule === undefined || (appName !== undefined && schedule.appName !== appName)) continue;
        schedules.push(schedule);
        characters += JSON.stringify(schedule).length;
        if (characters >= SCHEDULE_PAGE_CHARACTERS) break;
      }
      if (keys.length < limit && after === keys.at(-1)) return { schedules };
      if (schedules.length >= pageSize || characters >= SCHEDULE_PAGE_CHARACTERS) break;
    }
    const id = after?.slice(prefix.length) ?? "";
    return { schedules, nextPageToken: encodePageToken(list, { number: 0, id }) };
  }

  async update(key: ScheduleKey, change: (schedule: Schedule) => Schedule | undefined): Promise<Schedule | undefined> {
    if (!isId(key.scheduleId)) return undefined;
    const row = scheduleRow(key);
    return changeRows(this.#table, [row], (rows) => {
      const before = keptOf(rows.get(row));
      if (before === undefined) return { writes: [], result: undefined };
      const schedule = change(before.schedule);
      if (schedule === undefined) return { writes: [], result: before.schedule };
      const isMoved = schedule.nextMs !== before.schedule.nextMs;
      const after = isMoved ? { schedule, dueMs: schedule.nextMs } : { ...before, schedule };
      return { writes: writesOf(row, after, before), result: schedule };
    });
  }

  async delete(key: ScheduleKey): Promise<boolean> {
    if (!isId(key.scheduleId)) return false;
    const row = scheduleRow(key);
    return changeRows(this.#table, [row], (rows) => ({ writes: removalOf(rows.get(row)), result: rows.has(row) }));
  }

  async listDue(limit: number): Promise<readonly DueSchedule[]> {
    return (await listDueRows(this.#table, limit)).map(({ key, dueMs }) => ({ key, dueMs }));
  }

  async take(due: DueSchedule, untilMs: number): Promise<TakenSchedule | undefined> {
    const taken = await takeDueRow<Kept>(this.#table, { due, untilMs, keptOf, writesOf });
    if (taken === undefined) return undefined;
    const { lease, before } = taken;
    return { key: due.key, lease, schedule: before.schedule, wasLost: before.lease !== undefined };
  }

  async settle({ key, lease }: TakenSchedule, settlement: Settlement): Promise<void> {
    const { records, nextMs, seenMs, failures, dueMs = nextMs } = settlement;
    await changeRows(this.#table, [key], (rows) => {
      const before = keptOf(rows.get(key));
      if (before === undefined) return { writes: [], result: undefined };
      const isHeld = before.lease === lease;
      const added = isHeld ? records : records.filter(({ runId }) => runId !== undefined);
      const recorded = added.reduce(withTick, before.schedule);
      if (!isHeld && recorded === before.schedule) return { writes: [], result: undefined };
      const after = isHeld
        ? { schedule: { ...recorded, nextMs, seenMs, failures }, dueMs }
        : { ...before, schedule: recorded };
      return { writes: writesOf(key, after, before), result: undefined };
    });
  }

  async listData({ pageSize, pageToken, ...owner }: ListDataRequest): Promise<DataPage> {
    assertDataOwner(owner);
    const { schedules, nextPageToken } = await this.list({
      ...owner,
      ...inTenant(owner.tenantId),
      pageSize,
      pageToken,
    });
    const items = schedules.map((schedule) => {
      const { tenantId: _, owner: __, ...shown } = schedule;
      return { kind: "schedule" as const, ...JSON.parse(JSON.stringify(shown)) };
    });
    return { items, nextPageToken };
  }

  async deleteData({ limit, ...owner }: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(owner);
    const { tenantId, userId } = owner;
    const prefix = userId === undefined ? rowsOfTenant(owner) : rowsOfUser({ tenantId, userId });
    const keys = await this.#table.listKeys({ prefix, limit: Math.min(limit, SCHEDULES_OF_COMMIT) });
    const rows = await this.#table.read(keys.map((key) => scheduleRow({ tenantId, scheduleId: idIn(key) })));
    const listed = keys.map((key) => ({ key, value: undefined }));
    const removals = [...listed, ...[...rows.values()].flatMap(removalOf)];
    // A schedule's row in the list of its user is there twice.
    const unique = [...new Map(removals.map((write) => [write.key, write])).values()];
    if (keys.length > 0) {
      await this.#table.commit(unique);
      return { deleted: rows.size, isDone: false };
    }
    if (userId === undefined) await removeRows(this.#table, `room/${tenantId}/`);
    else await this.#table.commit([{ key: `room/${tenantId}/${keyPart(userId)}`, value: undefined }]);
    return { deleted: 0, isDone: true };
  }
}

/** The schedule's row, with the row of its time, which is written only where it moves. */
function writesOf(key: string, kept: Kept, before?: Kept): readonly RowWrite[] {
  // Members without a value are not stored.
  const write = { key, value: JSON.parse(JSON.stringify(kept)) };
  return [write, ...dueWrites(key, { fromMs: before?.dueMs, toMs: kept.dueMs })];
}

/** If the time has moved since the row was read, `take` removes its row when it is due. */
function removalOf(row: Row | undefined): readonly RowWrite[] {
  if (row === undefined) return [];
  const { schedule, dueMs } = keptOf(row);
  const due = dueMs === undefined ? [] : [dueRow(dueMs, row.key)];
  return [row.key, userRow(schedule), ...due].map((key) => ({ key, value: undefined }));
}

function rowsOfTenant(tenant: Pick<Schedule, "tenantId">): string {
  return `schedule/${tenantOf(tenant)}/`;
}

function scheduleRow(key: ScheduleKey): string {
  return `${rowsOfTenant(key)}${keyPart(key.scheduleId)}`;
}

function rowsOfUser(user: Pick<Schedule, "tenantId" | "userId">): string {
  return `of/${tenantOf(user)}/${keyPart(user.userId)}/`;
}

function userRow(schedule: Pick<Schedule, "tenantId" | "userId" | "id">): string {
  return `${rowsOfUser(schedule)}${keyPart(schedule.id)}`;
}

/** The id in a row's key. */
function idIn(key: string): string {
  return decodeURIComponent(key.slice(key.lastIndexOf("/") + 1));
}

/** Whether a schedule can have the id: a client may send any text. */
function isId(id: string): boolean {
  return id !== "" && id.isWellFormed() && id.length <= MAX_IDENTIFIER_BYTES / 2;
}

function tooMany(limit: number): PlatformError {
  return new PlatformError(
    "TOO_MANY_SCHEDULES",
    `The user has ${limit} schedules, which is the limit (MAX_SCHEDULES_PER_USER). Delete some.`,
    { details: { limit: String(limit) } },
  );
}

function keptOf(row: Row): Kept;
function keptOf(row: Row | undefined): Kept | undefined;
function keptOf(row: Row | undefined): Kept | undefined {
  // Written by `writesOf`.
  return row?.value as unknown as Kept | undefined;
}
