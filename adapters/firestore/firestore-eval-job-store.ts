import { TabularEvalJobStore } from "#kit/evaluation/jobs/tabular-eval-job-store.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { FirestoreDatabase } from "./database/firestore-database.ts";
import { FirestoreEvalJobTable } from "./firestore-eval-job-table.ts";

export interface FirestoreEvalJobStoreOptions {
  readonly database: FirestoreDatabase;
  readonly clock: Clock;
  /** The collection of all of this platform's data; `fairlead` when absent. */
  readonly root?: string | undefined;
}

/** Jobs in Firestore, for several processes. */
export class FirestoreEvalJobStore extends TabularEvalJobStore {
  constructor({ database, clock, root }: FirestoreEvalJobStoreOptions) {
    super({ table: new FirestoreEvalJobTable({ database, root }), clock });
  }
}
