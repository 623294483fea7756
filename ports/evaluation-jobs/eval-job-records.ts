import { assertIdentifier } from "#kit/names/identifiers.ts";
import { assertTenant } from "#kit/names/tenant.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import { changeRows } from "#ports/rows/change-rows.ts";
import type { Row, RowTable, RowWrite } from "#ports/rows/row-table.ts";
import { type EvalJob, type EvalJobCase, type EvalJobKey, type EvalJobLease, isEnded } from "./eval-job.ts";
import * as rows from "./eval-job-rows.ts";
import { assertHeld, evalJobNotFound, type StoredJob, shownJob } from "./eval-job-rules.ts";

export interface EvalJobRecordsOptions {
  readonly table: RowTable;
  readonly sleep?: Sleep | undefined;
}

/** Reads and changes the rows of jobs and of their cases. */
export class EvalJobRecords {
  readonly #table: RowTable;
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
        return { job, writes: [{ key: caseKey, value: toValue(one) }, ...writes] };
      },
      [caseKey],
    );
  }

  /** Applies `decide` to the stored job, and repeats this if another writer has changed the job meanwhile. */
  async change(key: EvalJobKey, decide: Decide, others: readonly string[] = []): Promise<EvalJob> {
    assertTenant(key);
    assertIdentifier("jobId", key.jobId);
    const name = rows.jobRow(key);
    return changeRows(
      this.#table,
      [name, ...others],
      (found) => {
        const row = found.get(name);
        const before = row && fromValue<StoredJob>(row.value);
        const { job, writes = [], isQuiet = false } = decide(before, found);
        if (row === undefined || job === before) return { writes: [], result: shownJob(job) };
        const after = isQuiet ? job : { ...job, sequence: job.sequence + 1 };
        const own = { key: name, value: toValue(after) };
        return { writes: [own, ...writes, ...endWrites(before, after)], result: shownJob(after) };
      },
      this.#sleep,
    );
  }
}

type Decide = (job: StoredJob | undefined, rows: ReadonlyMap<string, Row>) => Change;

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

/** Values of rows are JSON of the types that this store writes. */
export function toValue(value: object): JsonObject {
  return value as JsonObject;
}

export function fromValue<Value>(value: JsonObject): Value {
  return value as unknown as Value;
}
