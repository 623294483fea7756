import type { Clock } from "#kit/platform/clock.ts";
import { InMemoryEvalJobTable } from "./in-memory-eval-job-table.ts";
import { TabularEvalJobStore } from "./tabular-eval-job-store.ts";

/** Jobs in the memory of this process, which end with it. */
export class InMemoryEvalJobStore extends TabularEvalJobStore {
  constructor({ clock }: { readonly clock: Clock }) {
    super({ table: new InMemoryEvalJobTable(), clock });
  }
}
