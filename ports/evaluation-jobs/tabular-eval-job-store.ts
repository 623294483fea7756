import type { EvalCaseResult } from "#kit/evaluation/eval-result.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import type { JudgeCallKey } from "#kit/evaluation/metrics/judge.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { assertTenant, inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { MAX_COMMIT_ROWS, type RowTable } from "#ports/rows/row-table.ts";
import { removeRows } from "#ports/rows/walk-rows.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import { createEvalJob } from "./create-eval-job.ts";
import { type EvalJob, type EvalJobCase, type EvalJobKey, type EvalJobLease, isEnded } from "./eval-job.ts";
import { EvalJobData } from "./eval-job-data.ts";
import { EvalJobRecords, type EvalJobRecordsOptions, fromValue, toValue } from "./eval-job-records.ts";
import * as rows from "./eval-job-rows.ts";
import {
  assertHeld,
  cancelled,
  claimed,
  evalJobNotFound,
  finished,
  isClaimable,
  released,
  renewed,
  type StoredJob,
  shownJob,
  withCaseBegun,
  withCaseDone,
} from "./eval-job-rules.ts";
import type {
  BegunCase,
  ClaimedEvalJob,
  ClaimOptions,
  EvalJobEnd,
  EvalJobPage,
  EvalJobResult,
  EvalJobStore,
  ListEvalJobCasesRequest,
  ListEvalJobsRequest,
  NewEvalJob,
} from "./eval-job-store.ts";

export interface TabularEvalJobStoreOptions extends EvalJobRecordsOptions {
  readonly clock: Clock;
}

const DEFAULT_PAGE = 50;
const MAX_PAGE = 500;
/** A page ends with the entry by which its JSON reaches this size. */
export const MAX_JOBS_PAGE_CHARACTERS = 1024 * 1024;
/** Rows that one page of a list may look at. */
const MAX_SCANNED = 2000;

/** Jobs over a table of rows. All stores of jobs decide alike, because they differ in their tables only. */
export class TabularEvalJobStore implements EvalJobStore, TenantData {
  readonly #table: RowTable;
  readonly #clock: Clock;
  readonly #records: EvalJobRecords;
  readonly #data: EvalJobData;

  constructor(options: TabularEvalJobStoreOptions) {
    this.#table = options.table;
    this.#clock = options.clock;
    this.#records = new EvalJobRecords(options);
    const { table, clock, sleep: pause = sleep } = options;
    this.#data = new EvalJobData({ table, clock, records: this.#records, sleep: pause });
  }

  create(given: NewEvalJob): Promise<EvalJob> {
    return createEvalJob(given, { table: this.#table, records: this.#records, clock: this.#clock });
  }

  async get(key: EvalJobKey): Promise<EvalJob | undefined> {
    const job = await this.#records.read(key);
    return job && shownJob(job);
  }

  async list(request: ListEvalJobsRequest): Promise<EvalJobPage> {
    assertTenant(request);
    const { pageToken, pageSize = DEFAULT_PAGE } = request;
    if (pageToken !== undefined) assertIdentifier("pageToken", pageToken);
    const limit = pageLimit(pageSize);
    const jobs: EvalJob[] = [];
    let left = MAX_JOBS_PAGE_CHARACTERS;
    const place = inTenant(request.tenantId);
    let after = pageToken === undefined ? undefined : rows.jobRow({ ...place, jobId: pageToken });
    for (let scanned = 0; scanned < MAX_SCANNED; ) {
      const range = { prefix: rows.jobsOf(request), after, limit: MAX_PAGE, descending: true };
      const found = await this.#table.list({ ...range, maxCharacters: MAX_JOBS_PAGE_CHARACTERS });
      for (const { value } of found.rows) {
        const job = fromValue<StoredJob>(value);
        if (!isAskedFor(job, request)) continue;
        jobs.push(shownJob(job));
        left -= JSON.stringify(job).length;
        if (jobs.length === limit || left <= 0) return { jobs, nextPageToken: job.jobId };
      }
      scanned += found.rows.length;
      const last = found.rows.at(-1);
      if (last === undefined || !found.hasMore) return { jobs };
      after = last.key;
    }
    const last = after === undefined ? undefined : rows.jobOfRow(after).jobId;
    return { jobs, nextPageToken: last };
  }

  async listCases(request: ListEvalJobCasesRequest): Promise<readonly EvalJobCase[]> {
    const { afterIndex } = request;
    const after = afterIndex === undefined ? undefined : rows.caseRow(request, afterIndex);
    return (await this.#listParts(request, rows.casesOf(request), after)).map(fromValue<EvalJobCase>);
  }

  async listResults(request: ListEvalJobCasesRequest): Promise<readonly EvalJobResult[]> {
    const { afterIndex } = request;
    const after = afterIndex === undefined ? undefined : rows.caseResultRow(request, afterIndex);
    return (await this.#listParts(request, rows.resultsOf(request), after)).map(fromValue<EvalJobResult>);
  }

  async #listParts(request: ListEvalJobCasesRequest, prefix: string, after: string | undefined) {
    const { pageSize = DEFAULT_PAGE } = request;
    if ((await this.#records.read(request)) === undefined) throw evalJobNotFound(request);
    const range = { prefix, after, limit: pageLimit(pageSize), maxCharacters: MAX_JOBS_PAGE_CHARACTERS };
    return (await this.#table.list(range)).rows.map(({ value }) => value);
  }

  async cancel(key: EvalJobKey): Promise<EvalJob> {
    const now = this.#clock.now();
    return this.#records.change(key, (job) => {
      if (job === undefined) throw evalJobNotFound(key);
      return { job: cancelled(job, now) };
    });
  }

  async listClaimable(limit: number): Promise<readonly EvalJobKey[]> {
    const claimable: EvalJobKey[] = [];
    for (let after: string | undefined; ; ) {
      const open = await this.#table.listKeys({ prefix: rows.OPEN_ROWS, after, limit: MAX_COMMIT_ROWS });
      const keys = open.map(rows.jobOfRow);
      const jobs = await this.#table.read(keys.map((key) => rows.jobRow(key)));
      const now = this.#clock.now();
      for (const key of keys) {
        const row = jobs.get(rows.jobRow(key));
        if (row === undefined || !isClaimable(fromValue<StoredJob>(row.value), now)) continue;
        claimable.push(key);
        if (claimable.length === limit) return claimable;
      }
      after = open.at(-1);
      if (open.length < MAX_COMMIT_ROWS) return claimable;
    }
  }

  async claim(key: EvalJobKey, options: ClaimOptions): Promise<ClaimedEvalJob | undefined> {
    let taken: StoredJob | undefined;
    const job = await this.#records.change(key, (before) => {
      if (before === undefined) throw evalJobNotFound(key);
      taken = claimed(before, options, this.#clock.now());
      return { job: taken ?? before };
    });
    if (taken === undefined) return undefined;
    const { permit, epoch } = taken;
    const lease = { ...inTenant(key.tenantId), jobId: key.jobId, epoch, holder: options.holder };
    return { job, lease, permit };
  }

  renew(lease: EvalJobLease, leaseMs: number): Promise<EvalJob> {
    const now = this.#clock.now();
    return this.#records.change(lease, (job) => ({
      job: renewed(assertHeld(job, lease), leaseMs, now),
      isQuiet: true,
    }));
  }

  async release(lease: EvalJobLease): Promise<void> {
    await this.#records.change(lease, (job) => ({ job: released(assertHeld(job, lease)) }));
  }

  finish(lease: EvalJobLease, end: EvalJobEnd): Promise<EvalJob> {
    return this.#records.change(lease, (job) => ({ job: finished(assertHeld(job, lease), end, this.#clock.now()) }));
  }

  async getCaseInput(key: EvalJobKey, index: number): Promise<EvalCase> {
    const row = (await this.#table.read([rows.inputRow(key, index)])).get(rows.inputRow(key, index));
    if (row === undefined) throw evalJobNotFound(key);
    return fromValue<EvalCase>(row.value);
  }

  async beginCase(lease: EvalJobLease, { index, sessionId }: BegunCase): Promise<EvalJobCase> {
    let begun: EvalJobCase | undefined;
    await this.#records.changeCase(lease, index, (job, one) => {
      begun = one.status === "done" ? one : { ...one, status: "running", attempts: one.attempts + 1, sessionId };
      if (begun === one) return { job, one };
      begun = { ...begun, sequence: job.sequence + 1 };
      return { job: withCaseBegun(job, one), one: begun };
    });
    if (begun === undefined) throw evalJobNotFound(lease);
    return begun;
  }

  finishCase(lease: EvalJobLease, index: number, result: EvalCaseResult): Promise<EvalJob> {
    const { finalEvalStatus } = result;
    const value: EvalJobResult = { index, result };
    const writes = [{ key: rows.caseResultRow(lease, index), value: toValue(value) }];
    return this.#records.changeCase(lease, index, (job, one) =>
      one.status === "done"
        ? { job, one }
        : {
            job: withCaseDone(job, result),
            one: { ...one, status: "done", sequence: job.sequence + 1, finalEvalStatus },
            writes,
          },
    );
  }

  async getAnswer(key: EvalJobKey, question: JudgeCallKey): Promise<string | undefined> {
    const name = rows.answerRow(key, question);
    const answer = (await this.#table.read([name])).get(name)?.value["answer"];
    return typeof answer === "string" ? answer : undefined;
  }

  async recordAnswer(lease: EvalJobLease, question: JudgeCallKey, answer: string): Promise<string> {
    assertHeld(await this.#records.read(lease), lease);
    const key = rows.answerRow(lease, question);
    const isFirst = await this.#table.commit([{ key, value: { answer }, expect: "missing" }]);
    const job = await this.#records.read(lease);
    // The job may be deleted at the same time, after which nothing of it may be left.
    if (job === undefined || isEnded(job)) await this.#table.commit([{ key, value: undefined }]);
    assertHeld(job, lease);
    return isFirst ? answer : ((await this.getAnswer(lease, question)) ?? answer);
  }

  async prune(endedBefore: number, limit: number): Promise<number> {
    const ended = await this.#table.listKeys({ prefix: rows.ENDED_ROWS, limit });
    const old = ended.filter((key) => rows.endedTimeOf(key) < endedBefore);
    for (const key of old) {
      const job = rows.jobOfRow(key);
      await removeRows(this.#table, rows.partsOf(job));
      const names = (await this.#records.read(job))?.rows ?? [];
      await this.#table.commit([...names, rows.jobRow(job), key].map((each) => ({ key: each, value: undefined })));
    }
    return old.length;
  }

  listData(request: ListDataRequest): Promise<DataPage> {
    return this.#data.listData(request);
  }

  deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    return this.#data.deleteData(request);
  }
}

function pageLimit(pageSize: number): number {
  return Math.min(Math.max(pageSize, 1), MAX_PAGE);
}

function isAskedFor(job: EvalJob, { appName, evalSetId, userId, statuses }: ListEvalJobsRequest): boolean {
  if (appName !== undefined && job.appName !== appName) return false;
  if (evalSetId !== undefined && job.evalSetId !== evalSetId) return false;
  if (userId !== undefined && job.requester.userId !== userId) return false;
  return statuses === undefined || statuses.length === 0 || statuses.includes(job.status);
}
