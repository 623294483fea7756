import { matchesGlob, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import type { TestSequencer, TestSpecification } from "vitest/node";
import { ENTRY_ALIASES } from "#test/helpers/package-entries.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const globs = (process.env["MUTATION_TESTS"] ?? "kit/**/*.test.ts").split(",");

/** Runs the tests in the order of their globs. */
class GlobOrder implements TestSequencer {
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }

  sort(files: TestSpecification[]): TestSpecification[] {
    const ranks = new Map(files.map((file) => [file, rank(relative(root, file.moduleId))]));
    return files.toSorted((a, b) => ranks.get(a)! - ranks.get(b)! || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

function rank(path: string): number {
  return globs.findIndex((glob) => matchesGlob(path, glob));
}

/** Tests that planted faults are run against: those of one process that need no tool, emulator or browser. */
export default defineConfig({
  root,
  resolve: { alias: ENTRY_ALIASES },
  test: {
    include: globs,
    exclude: ["**/node_modules/**"],
    runner: fileURLToPath(new URL("./fault-runner.ts", import.meta.url)),
    // All tests share one process, in which the faults are switched on one at a time.
    isolate: false,
    pool: "threads",
    maxWorkers: 1,
    fileParallelism: false,
    maxConcurrency: 1,
    sequence: { sequencer: GlobOrder },
    // The runner limits the time of each attempt.
    testTimeout: 3_600_000,
    dangerouslyIgnoreUnhandledErrors: true,
    reporters: ["dot"],
    silent: true,
  },
});
