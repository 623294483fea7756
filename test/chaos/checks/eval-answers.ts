import { join } from "node:path";
import { FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreRowTable } from "#adapters/firestore/firestore-row-table.ts";
import { PostgresDatabase } from "#adapters/postgres/database/postgres-database.ts";
import { PostgresRowTable } from "#adapters/postgres/postgres-row-table.ts";
import { SqliteRowTable } from "#adapters/sqlite/sqlite-row-table.ts";
import { systemClock } from "#kit/platform/clock.ts";
import type { EvalJobStore } from "#ports/evaluation-jobs/eval-job-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import type { ChaosRig } from "#test/chaos/rig/rig.ts";

/** The jobs as they are stored, without links and services. */
export async function openEvalJobs(
  rig: ChaosRig,
): Promise<{ readonly store: EvalJobStore; readonly close: () => Promise<void> }> {
  if (rig.options.store === "postgres") {
    const database = await PostgresDatabase.open({ pool: { url: rig.postgres.url } });
    const table = new PostgresRowTable({ database, name: "eval-jobs" });
    const store = new TabularEvalJobStore({ table, clock: systemClock });
    return { store, close: () => database[Symbol.asyncDispose]() };
  }
  if (rig.firestoreHost !== undefined) {
    const database = new FirestoreDatabase({ projectId: "chaos", emulatorHost: rig.firestoreHost });
    const table = new FirestoreRowTable({ database, name: "eval-jobs" });
    const store = new TabularEvalJobStore({ table, clock: systemClock });
    return { store, close: () => database[Symbol.asyncDispose]() };
  }
  const table = new SqliteRowTable(join(rig.dataFolder("eval"), "eval-jobs.sqlite"));
  const store = new TabularEvalJobStore({ table, clock: systemClock });
  return { store, close: async () => table[Symbol.dispose]() };
}

export interface AskedCase {
  readonly evalId: string;
  readonly metricName: string;
  readonly samples: number;
}

/** How many of the answers to a case's questions are stored. */
export async function storedAnswers(
  store: Pick<EvalJobStore, "getAnswer">,
  jobId: string,
  { evalId, metricName, samples }: AskedCase,
): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: samples }, (_, sample) =>
      store.getAnswer({ jobId }, { evalId, metricName, invocation: 0, step: "answer", sample }),
    ),
  );
  return answers.filter((answer) => answer !== undefined).length;
}
