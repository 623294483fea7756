/**
 * The tests that run against a fault in a folder, besides those of its part: tests of one process that need nothing
 * installed.
 */
const WHOLE_RUNS = [
  "test/contract/*/in-memory-*.test.ts",
  "test/integration/runs/answer-waiting-run.test.ts",
  "test/integration/agents/app-settings.test.ts",
  "test/integration/models/bad-models.test.ts",
  "test/integration/agents/bad-tools.test.ts",
  "test/integration/models/context-cache.test.ts",
  "test/integration/runs/resume*.test.ts",
  "test/integration/runs/run-recovery.test.ts",
];

const SERVICE_RUNS = [
  ...WHOLE_RUNS,
  "test/integration/http-resources/gateway-background-runs.test.ts",
  "test/integration/grpc/grpc-runner.test.ts",
  "test/integration/standalone/standalone-telemetry.test.ts",
];

/** The first word in the names of an adapter's contract tests, where that is not the folder's name. */
const CONTRACT_NAMES: Readonly<Record<string, string>> = { files: "file", grpc: "remote", kms: "cloud-kms" };

/** Globs of the tests that may detect a fault in the folder. */
export function testsOf(folder: string): readonly string[] {
  // A fault that no test detects is tried with each test that reaches it: all tests of kit would take long.
  if (folder.startsWith("kit/") || folder.startsWith("ports/")) return [`${folder}/**/*.test.ts`, ...WHOLE_RUNS];
  if (folder.startsWith("services/")) return [`${folder}/**/*.test.ts`, ...SERVICE_RUNS];
  const [, technology = ""] = folder.split("/");
  const name = CONTRACT_NAMES[technology] ?? technology;
  return [`${folder}/**/*.test.ts`, `test/contract/*/${name}-*.test.ts`, "test/contract/*/embedded-stores.test.ts"];
}
