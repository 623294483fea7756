import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { assertTenant } from "#kit/names/tenant.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import { type EvalJob, type EvalJobCase, type EvalJobKey, type EvalJobLease, isEnded } from "./eval-job.ts";
import * as rows from "./eval-job-rows.ts";
import { assertHeld, evalJobNotFound, type StoredJob, shownJob } from "./eval-job-rules.ts";
import type { EvalJobTable, RowWrite } from "./eval-job-table.ts";

export interface EvalJobRecordsOptions {
  readonly table: EvalJobTable;
  readonly sleep?: Sleep | undefined;
}

/** The most attempts of a change. An attempt fails if another writer has changed the row since it was read. */
export const MAX_ATTEMPTS = 40;
const MAX_PAUSE_MS = 50;

/** Reads and changes the rows of jobs and of their cases. */
export class EvalJobRecords {
  readonly #table: EvalJobTable;
  readonly #sleep: Sleep;

  constructor(options: EvalJobRecordsOptions) {
    this.#table = options.table;
    this.#sleep = options.sleep ?? sleep;
  }

  async read(key: EvalJobKey): Promise<StoredJob | undefined> {
    assertTenant(key);
    assertIdentifier("jobId", key.jobId);
    const name = rows.jobRow(key);
    const row = (await this.#table.read([name])).get(name);
    return row && fromValue<StoredJob>(row.value);
  }

  changeCase(
    lease: EvalJobLease,
    index: number,
    decide: (job: StoredJob, one: EvalJobCase) => CaseChange,
  ): Promise<EvalJob> {
    const caseKey = rows.caseRow(lease, index);
    return this.change(
      lease,
      (given, others) => {
        const held = assertHeld(given, lease);
        const row = others.get(caseKey);
        if (row === undefined) throw evalJobNotFound(lease);
        const { job, one, writes = [] } = decide(held, fromValue<EvalJobCase>(row.value));
        return { job, writes: [{ key: caseKey, value: toValue(one), expect: row.version }, ...writes] };
      },
      [caseKey],
    );
  }

  /** Applies `decide` to the stored job, and repeats this if another writer has changed the job meanwhile. */
  async change(key: EvalJobKey, decide: Decide, others: readonly string[] = []): Promise<EvalJob> {
    assertTenant(key);
    assertIdentifier("jobId", key.jobId);
    const name = rows.jobRow(key);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const found = await this.#table.read([name, ...others]);
      const row = found.get(name);
      const before = row && fromValue<StoredJob>(row.value);
      const { job, writes = [], isQuiet = false } = decide(before, found);
      if (row === undefined || job === before) return shownJob(job);
      const after = isQuiet ? job : { ...job, sequence: job.sequence + 1 };
      const isDone = await this.#table.commit([
        { key: name, value: toValue(after), expect: row.version },
        ...writes,
        ...endWrites(before, after),
      ]);
      if (isDone) return shownJob(after);
      await this.#sleep(Math.random() * Math.min(2 ** attempt, MAX_PAUSE_MS));
    }
    throw tooManyWriters();
  }
}

type Decide = (job: StoredJob | undefined, rows: Awaited<ReturnType<EvalJobTable["read"]>>) => Change;

interface Change {
  readonly job: StoredJob;
  readonly writes?: readonly RowWrite[];
  /** Whether readers need not see the change. */
  readonly isQuiet?: boolean;
}

interface CaseChange extends Change {
  readonly one: EvalJobCase;
}

function endWrites(before: StoredJob | undefined, after: StoredJob): readonly RowWrite[] {
  if (before === undefined || isEnded(before) || !isEnded(after)) return [];
  return [
    { key: rows.openRow(after), value: undefined },
    { key: rows.endedRow(after, after.endedTime ?? 0), value: {} },
  ];
}

export function tooManyWriters(): PlatformError {
  return new PlatformError("STORE_UNAVAILABLE", "Other writers changed this evaluation at the same time. Try again.");
}

/** Values of rows are JSON of the types that this store writes. */
export function toValue(value: object): JsonObject {
  return value as JsonObject;
}

export function fromValue<Value>(value: JsonObject): Value {
  return value as unknown as Value;
}
