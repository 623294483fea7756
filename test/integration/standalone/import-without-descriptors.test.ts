import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("../../fixtures/import-without-descriptors.ts", import.meta.url));
const DESCRIPTORS = 100;

async function outcomesWith(spare: number): Promise<readonly string[]> {
  const command = `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`;
  const args = [PROGRAM, "#kit/models/gemini/google-genai.ts", "importGoogleGenAi", String(spare)];
  const { stdout } = await promisify(execFile)("sh", ["-c", command, process.execPath, ...args]);
  return JSON.parse(stdout) as readonly string[];
}

it("loads a model's package that could not be read, when descriptors are free again", { timeout: 60_000 }, async () => {
  const outcomes: (readonly string[])[] = [];
  for (let spare = 0; spare < 4; spare += 1) outcomes.push(await outcomesWith(spare));
  expect(outcomes.map(([scarce]) => scarce)).toContain("failed");
  // Node's loader caches the failure of a dependency: the second attempt may get it, the third one does not.
  for (const [, , third] of outcomes) expect(third).toBe("loaded");
});
