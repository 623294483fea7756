import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertEvalSetId } from "#kit/evaluation/eval-ids.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import { assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { MAX_ATTEMPTS, tooManyWriters } from "#ports/rows/change-rows.ts";
import { MAX_COMMIT_ROWS, type RowTable, type RowWrite } from "#ports/rows/row-table.ts";
import type { EvalJob, EvalJobCase, EvalJobKey } from "./eval-job.ts";
import { type EvalJobRecords, toValue } from "./eval-job-records.ts";
import * as rows from "./eval-job-rows.ts";
import { type StoredJob, shownJob } from "./eval-job-rules.ts";
import type { NewEvalJob } from "./eval-job-store.ts";
import { usersOfCase } from "./users-of-case.ts";

/** Each case has two rows. */
const CASES_OF_COMMIT = MAX_COMMIT_ROWS / 2;

interface CreationParts {
  readonly table: RowTable;
  readonly records: EvalJobRecords;
  readonly clock: Clock;
}

/** As `EvalJobStore.create`. The cases are written before the job, so that every stored job has all its cases. */
export async function createEvalJob(given: NewEvalJob, parts: CreationParts): Promise<EvalJob> {
  const { table, clock } = parts;
  assertAppScope(given);
  assertIdentifier("jobId", given.jobId);
  assertEvalSetId(given.evalSetId);
  const { cases, idempotencyKey, ...plan } = given;
  const requestKey = idempotencyKey === undefined ? undefined : rows.requestRow({ ...given, idempotencyKey });
  const known = await createdBefore(given, requestKey, parts);
  if (known !== undefined) return known;
  await writeCases(given, cases, parts);
  const now = clock.now();
  const users = [...new Set(cases.flatMap((evalCase) => usersOfCase(given, evalCase)))];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    // Microseconds, so that evaluations that were created in the same millisecond have names of their own.
    const resultTimestamp = (now * 1000 + attempt) / 1_000_000;
    const resultKey = rows.resultRow(given, resultTimestamp);
    const job: StoredJob = {
      ...plan,
      ...inTenant(given.tenantId),
      status: "queued",
      counts: { total: cases.length, running: 0, done: 0, passed: 0, failed: 0 },
      createdTime: now,
      cancelRequested: false,
      attempts: 0,
      sequence: 1,
      resultTimestamp,
      epoch: 0,
      users,
      rows: [resultKey, ...(requestKey === undefined ? [] : [requestKey])],
    };
    const request: RowWrite[] =
      requestKey === undefined ? [] : [{ key: requestKey, value: { jobId: given.jobId }, expect: "missing" }];
    const isCreated = await table.commit([
      { key: rows.jobRow(given), value: toValue(job), expect: "missing" },
      { key: rows.openRow(given), value: {} },
      { key: resultKey, value: {}, expect: "missing" },
      ...request,
    ]);
    if (isCreated) return shownJob(job);
    const other = await createdBefore(given, requestKey, parts);
    if (other !== undefined) return other;
  }
  throw tooManyWriters();
}

/** The job that an earlier call has created. */
async function createdBefore(
  given: NewEvalJob,
  requestKey: string | undefined,
  { table, records }: CreationParts,
): Promise<EvalJob | undefined> {
  const key = requestKey ?? rows.jobRow(given);
  const row = (await table.read([key])).get(key);
  if (row === undefined) return undefined;
  const jobId = requestKey === undefined ? given.jobId : String(row.value["jobId"]);
  const job = await records.read({ ...inTenant(given.tenantId), jobId });
  if (job === undefined) return undefined;
  if (job.fingerprint !== given.fingerprint)
    throw new PlatformError(
      "IDEMPOTENCY_KEY_REUSED",
      "The Idempotency-Key was used for another evaluation. Use a new key for a new request.",
    );
  return shownJob(job);
}

async function writeCases(key: EvalJobKey, cases: readonly EvalCase[], { table }: CreationParts): Promise<void> {
  for (let start = 0; start < cases.length; start += CASES_OF_COMMIT) {
    const writes = cases.slice(start, start + CASES_OF_COMMIT).flatMap((evalCase, offset): RowWrite[] => {
      const index = start + offset;
      const one: EvalJobCase = { index, evalId: evalCase.evalId, status: "pending", attempts: 0, sequence: 1 };
      return [
        { key: rows.inputRow(key, index), value: toValue(evalCase) },
        { key: rows.caseRow(key, index), value: toValue(one) },
      ];
    });
    await table.commit(writes);
  }
}
