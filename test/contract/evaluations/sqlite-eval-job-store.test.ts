import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { SqliteEvalJobStore } from "#adapters/sqlite/sqlite-eval-job-store.ts";
import { evalJobStoreContract } from "./eval-job-store.ts";

describe("SqliteEvalJobStore", () => {
  evalJobStoreContract({
    create: async (clock) => {
      const folder = await mkdtemp(join(tmpdir(), "fairlead-eval-jobs-"));
      const stack = new DisposableStack();
      const open = () => stack.use(new SqliteEvalJobStore({ file: join(folder, "eval-jobs.sqlite"), clock }));
      const dispose = async (): Promise<void> => {
        stack.dispose();
        await rm(folder, { recursive: true });
      };
      return { store: open(), reopen: async () => open(), dispose };
    },
  });
});
