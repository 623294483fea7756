import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import { MAX_COMMIT_ROWS, type RowTable } from "#ports/rows/row-table.ts";
import { eachRow, removeRows } from "#ports/rows/walk-rows.ts";
import { assertDataOwner, type DataOwner } from "#ports/tenants/data-owner.ts";
import { type PlacedItem, readDataPage } from "#ports/tenants/data-pages.ts";
import type {
  DataItem,
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import { isEnded } from "./eval-job.ts";
import { type EvalJobRecords, fromValue } from "./eval-job-records.ts";
import * as rows from "./eval-job-rows.ts";
import { cancelled, evalJobNotFound, finished, mayStoreResult, type StoredJob, withoutUser } from "./eval-job-rules.ts";
import type { EvalJobEnd } from "./eval-job-store.ts";
import { usersOfCase } from "./users-of-case.ts";

export interface EvalJobDataParts {
  readonly table: RowTable;
  readonly records: EvalJobRecords;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** The pause at the end of a deletion step, in milliseconds, if a worker may still be storing the result of a job. */
const PAUSE_MS = 100;

/** The jobs of a tenant, or those that one of its users has requested, and that user's cases of other jobs. */
export class EvalJobData implements TenantData {
  readonly #parts: EvalJobDataParts;

  constructor(parts: EvalJobDataParts) {
    this.#parts = parts;
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return readDataPage(request, (place) => this.#items(request, place?.[0]));
  }

  /**
   * Each job is ended first, so that its worker can no longer write, and its own row is removed last, so that an
   * interrupted deletion finds the job again. A job whose worker may be storing the result of the set is cancelled, and
   * deleted when that has ended: what is deleted afterwards includes the result. `limit` bounds the removed rows, and
   * `deleted` counts jobs.
   */
  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    let deleted = 0;
    let left = request.limit;
    let isBusy = false;
    for await (const job of this.#jobsWith(request)) {
      const state = await this.#end(job, request);
      isBusy ||= state === "busy";
      if (state === "ended") {
        left -= await this.#removeParts(job, request, left);
        if (left > 0 && (await this.#removeEnded(job, request))) deleted += 1;
        left -= 1;
      }
      if (left <= 0) return { deleted, isDone: false };
    }
    if (isBusy) {
      await this.#parts.sleep(PAUSE_MS);
      return { deleted, isDone: false };
    }
    // Rows of jobs whose creation was interrupted, and rows that belong to no job.
    const others = request.userId === undefined ? rows.othersOf(inTenant(request.tenantId)) : [];
    for (const prefix of others) {
      left -= await removeRows(this.#parts.table, prefix, left);
      if (left <= 0) return { deleted, isDone: false };
    }
    return { deleted, isDone: true };
  }

  async *#items(owner: DataOwner, afterJobId: string | undefined): AsyncGenerator<PlacedItem> {
    if (afterJobId !== undefined) assertIdentifier("pageToken", afterJobId);
    for await (const job of this.#jobsOf(owner, afterJobId))
      if (isRequestedBy(job, owner)) yield { item: toItem(job), place: [job.jobId] };
  }

  /** The owner's jobs, and others with cases of the user. */
  async *#jobsWith(owner: DataOwner): AsyncGenerator<StoredJob> {
    for await (const job of this.#jobsOf(owner, undefined))
      if (isRequestedBy(job, owner) || (owner.userId !== undefined && job.users.includes(owner.userId))) yield job;
  }

  /** All of the tenant. */
  async *#jobsOf({ tenantId }: DataOwner, afterJobId: string | undefined): AsyncGenerator<StoredJob> {
    const tenant = inTenant(tenantId);
    const after = afterJobId === undefined ? undefined : rows.jobRow({ ...tenant, jobId: afterJobId });
    for await (const { value } of eachRow(this.#parts.table, { prefix: rows.jobsOf(tenant), after }))
      yield fromValue<StoredJob>(value);
  }

  /** Ends the job, or asks its worker to end it. */
  async #end(key: StoredJob, owner: DataOwner): Promise<"ended" | "busy" | "gone"> {
    const end = isRequestedBy(key, owner) ? CANCELLED : USER_DELETED;
    const { records, clock } = this.#parts;
    try {
      const { status } = await records.change(key, (job) => {
        if (job === undefined) throw evalJobNotFound(key);
        const now = clock.now();
        if (isEnded(job)) return { job };
        return { job: mayStoreResult(job, now) ? cancelled(job, now) : finished(job, end, now) };
      });
      return isEnded({ status }) ? "ended" : "busy";
    } catch (error) {
      if (toPlatformError(error).reason === "EVAL_JOB_NOT_FOUND") return "gone";
      throw error;
    }
  }

  /** Removes the owner's rows of the job, at most `limit`, and returns how many were removed. */
  async #removeParts(job: StoredJob, owner: DataOwner, limit: number): Promise<number> {
    const { userId } = owner;
    if (userId === undefined || isRequestedBy(job, owner))
      return removeRows(this.#parts.table, rows.partsOf(job), limit);
    // Answers may quote any case, and an ended job needs none.
    const removed = await removeRows(this.#parts.table, rows.answersOf(job), limit);
    return removed + (await this.#removeCasesOf(job, userId, limit - removed));
  }

  async #removeCasesOf(job: StoredJob, userId: string, limit: number): Promise<number> {
    const { table } = this.#parts;
    let removed = 0;
    for (let after: string | undefined; removed < limit; ) {
      // A case has two rows.
      const page = await table.list({ prefix: rows.inputsOf(job), after, limit: MAX_COMMIT_ROWS / 2 });
      const own = page.rows.filter(({ value }) => usersOfCase(job, fromValue<EvalCase>(value)).includes(userId));
      const some = own.slice(0, limit - removed);
      await table.commit(
        some.flatMap(({ key }) => [
          { key, value: undefined },
          { key: rows.caseResultRow(job, rows.indexOfRow(key)), value: undefined },
        ]),
      );
      removed += some.length;
      after = page.rows.at(-1)?.key;
      if (!page.hasMore) break;
    }
    return removed;
  }

  /** Removes the job's own rows, or the user from another's job; false if the job does not exist. */
  async #removeEnded(key: StoredJob, owner: DataOwner): Promise<boolean> {
    const job = await this.#parts.records.read(key);
    if (job === undefined) return false;
    const { userId } = owner;
    if (userId !== undefined && !isRequestedBy(job, owner)) {
      await this.#parts.records.change(job, (before) => {
        if (before === undefined) throw evalJobNotFound(job);
        return { job: withoutUser(before, userId) };
      });
      return true;
    }
    const names = [...job.rows, rows.endedRow(job, job.endedTime ?? 0), rows.openRow(job), rows.jobRow(job)];
    await this.#parts.table.commit(names.map((name) => ({ key: name, value: undefined })));
    return true;
  }
}

const CANCELLED: EvalJobEnd = { status: "cancelled" };
const USER_DELETED: EvalJobEnd = {
  status: "failed",
  error: { reason: "DATA_IN_DELETION", message: "The data of a user of its cases was deleted." },
};

function isRequestedBy({ requester }: StoredJob, { userId }: DataOwner): boolean {
  return userId === undefined || requester.userId === userId;
}

function toItem({ jobId, appName, evalSetId, requester: { userId } }: StoredJob): DataItem {
  return { kind: "evaluation", appName, jobId, evalSetId, ...(userId !== undefined && { userId }) };
}
