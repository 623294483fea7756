import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const kit = fileURLToPath(new URL("../../kit/", import.meta.url));

/** Tests that planted faults are run against: those of one process that need no tool, emulator or browser. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: {
    alias: [
      { find: /^agentplane\/kit$/, replacement: `${kit}index.ts` },
      { find: /^agentplane\/kit\/testing$/, replacement: `${kit}testing/index.ts` },
    ],
  },
  test: {
    include: (process.env["MUTATION_TESTS"] ?? "kit/**/*.test.ts").split(","),
    exclude: ["**/node_modules/**"],
    testTimeout: 30_000,
  },
});
