import { InMemoryRowTable } from "../rows/in-memory-row-table.ts";
import { TabularEvalStore, type TabularEvalStoreOptions } from "./tabular-eval-store.ts";

/** Evaluation sets and results in the memory of this process; they are lost when it ends. */
export class InMemoryEvalStore extends TabularEvalStore {
  constructor(options: Omit<TabularEvalStoreOptions, "table">) {
    super({ ...options, table: new InMemoryRowTable() });
  }
}
