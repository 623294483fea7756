import { PlatformError } from "#kit/errors/platform-error.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { CredentialPlace, CredentialSealer } from "#ports/credentials/credential-sealer.ts";
import { newRecordVersion } from "#ports/encryption/random-bytes.ts";
import { changeRows, type RowChange } from "#ports/rows/change-rows.ts";
import { dueRow, dueWrites, listDueRows, takeDueRow } from "#ports/rows/due-rows.ts";
import { keyDigest, keyPart, MAX_COMMIT_ROWS, type Row, type RowTable, type RowWrite } from "#ports/rows/row-table.ts";
import { removeRows } from "#ports/rows/walk-rows.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import type { DeleteDataRequest, DeleteDataResponse } from "#ports/tenants/tenant-data.ts";
import {
  type DuePush,
  MAX_TARGETS_OF_TASK,
  MAX_TARGETS_OF_USER,
  type NewPush,
  type PushState,
  type PushStore,
  type PushTarget,
  type PushTask,
  type PushVersion,
  payerOf,
  type TakenPush,
} from "./push-store.ts";

export interface TabularPushStoreOptions {
  readonly table: RowTable;
  /** Seals tokens and credentials; they are stored as they are if absent. */
  readonly sealer?: CredentialSealer | undefined;
}

type Secrets = Pick<PushTarget, "token"> & { readonly credentials?: string | undefined };

/** The content of a target's row. */
interface Kept extends PushTask, PushState {
  readonly id: string;
  readonly url: string;
  readonly scheme?: string | undefined;
  /** Sealed, or the JSON of the secrets if there is no sealer. */
  readonly secrets?: string | undefined;
  readonly secretsVersion: number;
  readonly version: PushVersion;
  readonly dueMs: number;
  /** Of the process that has it; changes with each lease. */
  readonly lease?: string | undefined;
}

/** A commit removes the row of a target and the row of its time. */
const TARGETS_OF_COMMIT = MAX_COMMIT_ROWS / 2;

/**
 * Push notifications over a table of rows: `target/{tenant}/{user}/{app and session}/{task}/{id}`, the last three as
 * digests, and `due/{time}/{digest of that key}`, which changes with it in one commit. A new target also changes
 * `room/{tenant}/{user}`, so that concurrent ones cannot exceed the limits.
 */
export class TabularPushStore implements PushStore {
  readonly #table: RowTable;
  readonly #sealer: CredentialSealer | undefined;

  constructor({ table, sealer }: TabularPushStoreOptions) {
    this.#table = table;
    this.#sealer = sealer;
  }

  async save({ task, target, version, state, dueMs, nowMs }: NewPush): Promise<void> {
    const [key, room] = [targetRow(task, target.id), roomRow(task.session)];
    const secretsVersion = newRecordVersion();
    const secrets = this.#seal(task, target, secretsVersion);
    const { id, url, authentication } = target;
    const named = { taskId: task.taskId, session: task.session, id, url, scheme: authentication?.scheme, version };
    await changeRows(this.#table, [key, room], async (rows) => {
      const earlier = keptOf(rows.get(key));
      const fresh = { ...named, secrets, secretsVersion, failures: 0 };
      if (earlier === undefined) {
        await this.#assertRoom(task);
        const kept = { ...fresh, place: state.place, isOver: state.isOver, dueMs };
        return {
          writes: [...writesOf(key, kept), { key: room, value: { changed: secretsVersion } }],
          result: undefined,
        };
      }
      // A receiver that was given up is tried again from where it was.
      const isOver = earlier.isOver && earlier.failures === 0;
      const kept = { ...fresh, place: earlier.place, isOver, dueMs: isOver ? earlier.dueMs : nowMs };
      return { writes: writesOf(key, kept, earlier), result: undefined };
    });
  }

  async get(task: PushTask, id: string): Promise<PushTarget | undefined> {
    const key = targetRow(task, id);
    const kept = keptOf((await this.#table.read([key])).get(key));
    return kept && this.#targetOf(kept);
  }

  async list(task: PushTask): Promise<readonly PushTarget[]> {
    const { rows } = await this.#table.list({ prefix: rowsOfTask(task), limit: MAX_TARGETS_OF_TASK });
    return rows.map((row) => this.#targetOf(keptOf(row)));
  }

  async delete(task: PushTask, id: string): Promise<void> {
    const key = targetRow(task, id);
    await changeRows(this.#table, [key], (rows) => ({ writes: removalOf(rows.get(key)), result: undefined }));
  }

  async deleteSession(session: SessionKey): Promise<void> {
    while ((await this.#removeSome(rowsOfSession(session), TARGETS_OF_COMMIT)) > 0);
  }

  async wake(task: PushTask, nowMs: number): Promise<void> {
    const keys = await this.#table.listKeys({ prefix: rowsOfTask(task), limit: MAX_TARGETS_OF_TASK });
    for (const key of keys)
      await this.#change(key, (kept) => {
        // A failing receiver keeps its time, and a delivery in progress sees the run itself.
        const isWaiting = kept.place.isAtEnd && !kept.isOver && kept.failures === 0 && kept.lease === undefined;
        return isWaiting && kept.dueMs > nowMs ? { ...kept, dueMs: nowMs } : undefined;
      });
  }

  async listDue(limit: number): Promise<readonly DuePush[]> {
    return (await listDueRows(this.#table, limit)).map(({ key, dueMs, value }) => {
      // Written by `writesOf`.
      const { payer, host } = value as unknown as Pick<DuePush, "payer" | "host">;
      return { key, payer, host, dueMs };
    });
  }

  async take(due: DuePush, untilMs: number): Promise<TakenPush | undefined> {
    const taken = await takeDueRow<Kept>(this.#table, { due, untilMs, keptOf, writesOf });
    if (taken === undefined) return undefined;
    const { lease, before: kept } = taken;
    const { taskId, session, version } = kept;
    return { key: due.key, lease, task: { taskId, session }, target: this.#targetOf(kept), version, ...stateOf(kept) };
  }

  async postpone(due: readonly DuePush[], toMs: number): Promise<void> {
    for (const { key, dueMs } of due)
      await this.#change(key, (kept) =>
        kept.dueMs === dueMs ? { ...kept, lease: undefined, dueMs: toMs } : undefined,
      );
  }

  put({ key, lease }: TakenPush, state: PushState, untilMs?: number): Promise<boolean> {
    return this.#change(key, (kept) =>
      kept.lease === lease ? { ...kept, ...stateOf(state), dueMs: untilMs ?? kept.dueMs } : undefined,
    );
  }

  release({ key, lease }: TakenPush, state: PushState, dueMs: number): Promise<boolean> {
    return this.#change(key, (kept) =>
      kept.lease === lease ? { ...kept, ...stateOf(state), lease: undefined, dueMs } : undefined,
    );
  }

  async remove({ key, lease }: TakenPush): Promise<void> {
    await changeRows(this.#table, [key], (rows) => {
      const row = rows.get(key);
      return { writes: keptOf(row)?.lease === lease ? removalOf(row) : [], result: undefined };
    });
  }

  async deleteData({ limit, ...owner }: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(owner);
    const { tenantId, userId } = owner;
    const prefix = userId === undefined ? `target/${tenantId}/` : rowsOfUser({ tenantId, userId });
    const deleted = await this.#removeSome(prefix, Math.min(limit, TARGETS_OF_COMMIT));
    if (deleted > 0) return { deleted, isDone: false };
    if (userId === undefined) await removeRows(this.#table, `room/${tenantId}/`);
    else await this.#table.commit([{ key: roomRow({ tenantId, userId }), value: undefined }]);
    return { deleted, isDone: true };
  }

  /** Changes a target that exists; false if there is nothing to change. */
  #change(key: string, decide: (kept: Kept) => Kept | undefined): Promise<boolean> {
    return changeRows(this.#table, [key], (rows): RowChange<boolean> => {
      const before = keptOf(rows.get(key));
      const after = before && decide(before);
      if (after === undefined) return { writes: [], result: false };
      return { writes: writesOf(key, after, before), result: true };
    });
  }

  async #removeSome(prefix: string, limit: number): Promise<number> {
    const { rows } = await this.#table.list({ prefix, limit });
    if (rows.length > 0) await this.#table.commit(rows.flatMap(removalOf));
    return rows.length;
  }

  async #assertRoom(task: PushTask): Promise<void> {
    const { session } = task;
    const limits = [
      { prefix: rowsOfTask(task), limit: MAX_TARGETS_OF_TASK, whose: "The task" },
      { prefix: rowsOfUser(session), limit: MAX_TARGETS_OF_USER, whose: "The user" },
    ];
    for (const { prefix, limit, whose } of limits)
      if ((await this.#table.listKeys({ prefix, limit })).length === limit)
        throw new PlatformError(
          "TOO_MANY_PUSH_TARGETS",
          `${whose} has ${limit} push notification configurations, which is the limit. Delete some.`,
          { details: { limit: String(limit) } },
        );
  }

  #seal(task: PushTask, { id, token, authentication }: PushTarget, version: number): string | undefined {
    const secrets: Secrets = { token, credentials: authentication?.credentials };
    if (secrets.token === undefined && secrets.credentials === undefined) return undefined;
    const text = JSON.stringify(secrets);
    return this.#sealer?.seal({ authType: "apiKey", apiKey: text }, placeOf(task, id, version)) ?? text;
  }

  #open(text: string, place: CredentialPlace): Secrets {
    const opened = this.#sealer?.open(text, place);
    // Written by `#seal`.
    return JSON.parse(opened?.authType === "apiKey" ? (opened.apiKey ?? "{}") : text) as Secrets;
  }

  #targetOf({ id, url, scheme, secrets, secretsVersion, taskId, session }: Kept): PushTarget {
    const place = placeOf({ taskId, session }, id, secretsVersion);
    const { token, credentials } = secrets === undefined ? {} : this.#open(secrets, place);
    return { id, url, token, authentication: scheme === undefined ? undefined : { scheme, credentials } };
  }
}

/** The target with the row of its time, which is written only where it moves. */
function writesOf(key: string, kept: Kept, before?: Kept): RowWrite[] {
  // Members without a value are not stored.
  const write = { key, value: JSON.parse(JSON.stringify(kept)) };
  const { session, url } = kept;
  const value = { payer: payerOf(session), host: URL.parse(url)?.host ?? "" };
  const due = { fromMs: before?.dueMs, toMs: kept.dueMs, value, isChanged: before?.url !== url };
  return [write, ...dueWrites(key, due)];
}

/** If the time has moved since the row was read, `take` removes its row when it is due. */
function removalOf(row: Row | undefined): RowWrite[] {
  if (row === undefined) return [];
  return [row.key, dueRow(keptOf(row).dueMs, row.key)].map((key) => ({ key, value: undefined }));
}

function rowsOfUser(user: Pick<SessionKey, "tenantId" | "userId">): string {
  return `target/${tenantOf(user)}/${keyPart(user.userId)}/`;
}

function rowsOfSession(session: SessionKey): string {
  return `${rowsOfUser(session)}${keyDigest([session.appName, session.id])}/`;
}

function rowsOfTask({ taskId, session }: PushTask): string {
  return `${rowsOfSession(session)}${keyDigest([taskId])}/`;
}

/** Digests, because the names together can be longer than a key. */
function targetRow(task: PushTask, id: string): string {
  return `${rowsOfTask(task)}${keyDigest([id])}`;
}

function roomRow(user: Pick<SessionKey, "tenantId" | "userId">): string {
  return `room/${tenantOf(user)}/${keyPart(user.userId)}`;
}

function placeOf({ taskId, session }: PushTask, id: string, version: number) {
  const { tenantId, appName, userId } = session;
  return { owner: { tenantId, appName, userId }, credentialKey: JSON.stringify(["push", taskId, id]), version };
}

function stateOf({ place, failures, failingSinceMs, isOver }: PushState): PushState {
  return { place, failures, failingSinceMs, isOver };
}

function keptOf(row: Row): Kept;
function keptOf(row: Row | undefined): Kept | undefined;
function keptOf(row: Row | undefined): Kept | undefined {
  // Written by `writesOf`.
  return row?.value as unknown as Kept | undefined;
}
