import { toPlatformError } from "#kit/errors/platform-error.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import { assertDataOwner, type DataOwner } from "#kit/tenants/data-owner.ts";
import { type PlacedItem, readDataPage } from "#kit/tenants/data-pages.ts";
import type {
  DataItem,
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#kit/tenants/tenant-data.ts";
import { isEnded } from "./eval-job.ts";
import { type EvalJobRecords, fromValue } from "./eval-job-records.ts";
import * as rows from "./eval-job-rows.ts";
import { cancelled, evalJobNotFound, finished, mayStoreResult, type StoredJob } from "./eval-job-rules.ts";
import type { EvalJobTable } from "./eval-job-table.ts";

export interface EvalJobDataParts {
  readonly table: EvalJobTable;
  readonly records: EvalJobRecords;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** Rows of one commit, which a store may limit. */
const BATCH = 100;
/** How long a step of a deletion pauses that finds only jobs whose workers store their results. */
const PAUSE_MS = 100;

/** The jobs of a tenant, or those that one of its users has requested. */
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
   * Each job ends first, so that its worker cannot write any more, and its own row goes last, so that an interrupted
   * deletion finds it again. A job whose worker may be storing the result of the set is cancelled, and deleted when that
   * has ended: what is deleted afterwards includes the result. The limit is of rows; what counts as deleted are jobs.
   */
  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    let deleted = 0;
    let left = request.limit;
    let isBusy = false;
    for await (const job of this.#jobsOf(request, undefined)) {
      const state = await this.#end(job);
      isBusy ||= state === "busy";
      if (state === "ended") {
        left -= await this.#remove(rows.partsOf(job), left);
        if (left > 0 && (await this.#removeEnded(job))) deleted += 1;
        left -= 1;
      }
      if (left <= 0) return { deleted, isDone: false };
    }
    if (isBusy) {
      await this.#parts.sleep(PAUSE_MS);
      return { deleted, isDone: false };
    }
    // Of jobs that were about to be created, and of none.
    const others = request.userId === undefined ? rows.othersOf(inTenant(request.tenantId)) : [];
    for (const prefix of others) {
      left -= await this.#remove(prefix, left);
      if (left <= 0) return { deleted, isDone: false };
    }
    return { deleted, isDone: true };
  }

  async *#items(owner: DataOwner, afterJobId: string | undefined): AsyncGenerator<PlacedItem> {
    if (afterJobId !== undefined) assertIdentifier("pageToken", afterJobId);
    for await (const job of this.#jobsOf(owner, afterJobId)) yield { item: toItem(job), place: [job.jobId] };
  }

  async *#jobsOf({ tenantId, userId }: DataOwner, afterJobId: string | undefined): AsyncGenerator<StoredJob> {
    const tenant = inTenant(tenantId);
    let after = afterJobId === undefined ? undefined : rows.jobRow({ ...tenant, jobId: afterJobId });
    for (;;) {
      const found = await this.#parts.table.list({ prefix: rows.jobsOf(tenant), after, limit: BATCH });
      for (const { value } of found) {
        const job = fromValue<StoredJob>(value);
        if (userId === undefined || job.requester.userId === userId) yield job;
      }
      after = found.at(-1)?.key;
      if (found.length < BATCH) return;
    }
  }

  /** Ends the job, or asks its worker to end it. */
  async #end(key: StoredJob): Promise<"ended" | "busy" | "gone"> {
    const { records, clock } = this.#parts;
    try {
      const { status } = await records.change(key, (job) => {
        if (job === undefined) throw evalJobNotFound(key);
        const now = clock.now();
        if (isEnded(job)) return { job };
        return { job: mayStoreResult(job, now) ? cancelled(job, now) : finished(job, { status: "cancelled" }, now) };
      });
      return isEnded({ status }) ? "ended" : "busy";
    } catch (error) {
      if (toPlatformError(error).reason === "EVAL_JOB_NOT_FOUND") return "gone";
      throw error;
    }
  }

  /** Removes the job's own rows; false if they are gone. */
  async #removeEnded(key: StoredJob): Promise<boolean> {
    const job = await this.#parts.records.read(key);
    if (job === undefined) return false;
    const names = [...job.rows, rows.endedRow(job, job.endedTime ?? 0), rows.openRow(job), rows.jobRow(job)];
    await this.#parts.table.commit(names.map((name) => ({ key: name, value: undefined })));
    return true;
  }

  /** Removes at most so many rows, and returns how many. */
  async #remove(prefix: string, limit: number): Promise<number> {
    for (let removed = 0; ; ) {
      const some = Math.min(BATCH, limit - removed);
      const found = some === 0 ? [] : await this.#parts.table.list({ prefix, limit: some });
      if (found.length === 0) return removed;
      await this.#parts.table.commit(found.map(({ key }) => ({ key, value: undefined })));
      removed += found.length;
    }
  }
}

function toItem({ jobId, appName, evalSetId, requester: { userId } }: StoredJob): DataItem {
  return { kind: "evaluation", appName, jobId, evalSetId, ...(userId !== undefined && { userId }) };
}
