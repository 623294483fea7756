import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { ENTRY_ALIASES } from "#test/helpers/package-entries.ts";

/** Where to write the results as JSON, for programs that count them. */
const reportFile = process.env["TEST_REPORT_FILE"];
/** How often a failed test is tried again. The JSON report keeps the errors of a test that passes then. */
const retries = Number(process.env["TEST_RETRIES"] ?? 0);
/** The tests of the sample agents give names of models another meaning, for the whole process. */
const SAMPLES = "test/integration/agents/**/*.test.ts";

export default defineConfig({
  resolve: { alias: ENTRY_ALIASES },
  test: {
    // Whole processes start in some tests, and a machine may be busy.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Only a test that fails waits so long. The usual second is shorter than what a busy machine takes for a process.
    expect: { poll: { timeout: 20_000 } },
    retry: retries,
    // Vitest leaves one core free. Many tests wait for the processes that they start, and use a core only half of the time.
    maxWorkers: availableParallelism() + 1,
    reporters: reportFile === undefined ? ["default"] : ["dot", ["json", { outputFile: reportFile }]],
    // Loading modules anew for each file takes longer than the tests of most files. Agents of other tests have modules that
    // are closed with their app.
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          isolate: false,
          include: ["{kit,ports,client,adapters,services,cli,agents,bench,docs,deploy,proto,tooling}/**/*.test.ts"],
          exclude: ["**/node_modules/**", "bench/peer/**"],
        },
      },
      { extends: true, test: { name: "contract", isolate: false, include: ["test/contract/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "integration",
          isolate: false,
          include: ["test/integration/**/*.test.ts"],
          exclude: ["**/node_modules/**", SAMPLES],
        },
      },
      { extends: true, test: { name: "samples", include: [SAMPLES] } },
      { extends: true, test: { name: "requirements", include: ["test/requirements/**/*.test.ts"] } },
      { extends: true, test: { name: "conventions", include: ["test/{conventions,mutation}/**/*.test.ts"] } },
      { extends: true, test: { name: "e2e", include: ["test/e2e/**/*.test.ts"] } },
      { extends: true, test: { name: "oracle", include: ["test/oracle/**/*.test.ts"] } },
      { extends: true, test: { name: "chart", include: ["test/chart/**/*.test.ts", "charts/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "chaos",
          include: ["test/chaos/**/*.test.ts"],
          testTimeout: 90_000,
          hookTimeout: 240_000,
          // Episodes share a platform: one is repeated with all others, on a new one.
          retry: 0,
        },
      },
      {
        extends: true,
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          globalSetup: "test/package/setup.ts",
          testTimeout: 90_000,
          fileParallelism: false,
        },
      },
      { extends: true, test: { name: "attack", include: ["test/attack/**/*.test.ts"], fileParallelism: false } },
      {
        extends: true,
        test: {
          name: "cluster",
          include: ["test/cluster/**/*.test.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
