import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { readEnvironment } from "#kit/platform/environment.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";

/** The folder of a project in which `@google/adk` is installed, such as after `npm install @google/adk@2.0.0`. */
const adkProject = readEnvironment("ADK_PROJECT") ?? "";
const adkTypes = join(adkProject, "node_modules/@google/adk/dist/types/index.d.ts");
const ownTypes = join(REPOSITORY_ROOT, "kit/adk/index.ts");
const agents = join(REPOSITORY_ROOT, "test/fixtures/from-adk/*/agent.ts");

/** What the compiler reports of these files if `@google/adk` has these types. */
async function faultsOf(
  files: readonly string[],
  types: string,
  packages: readonly string[],
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "adk-types-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const modules = [...packages, REPOSITORY_ROOT].map((path) => join(path, "node_modules"));
  const tsconfig = {
    extends: join(REPOSITORY_ROOT, "tsconfig.json"),
    compilerOptions: {
      paths: { "@google/adk": [types], "*": modules.map((path) => join(path, "*")) },
      typeRoots: [join(REPOSITORY_ROOT, "node_modules/@types")],
    },
    include: files,
    exclude: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  const compiler = join(REPOSITORY_ROOT, "node_modules/.bin/tsc");
  const run = promisify(execFile)(compiler, ["--project", folder, "--pretty", "false"], { cwd: folder });
  const output = await run.then(({ stdout }) => stdout).catch(({ stdout }: { stdout: string }) => stdout);
  return output.split("\n").filter((line) => line !== "");
}

/** A file that uses an option which exists in neither package. */
function brokenAgent(): string {
  const folder = mkdtempSync(join(tmpdir(), "adk-broken-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const text =
    'import { LlmAgent } from "@google/adk";\nexport const agent = new LlmAgent({ name: "a", modle: "b" });\n';
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "agent.ts"), text);
  return join(folder, "agent.ts");
}

describe("agents of ADK", () => {
  // One call of the compiler checks that it finds the fault, and nothing else.
  it("have the types of this kit", async () => {
    const faults = await faultsOf([agents, brokenAgent()], ownTypes, []);
    expect(faults).toEqual([expect.stringContaining("modle")]);
  }, 120_000);

  it.skipIf(!existsSync(adkTypes))(
    "have the types of ADK (needs ADK_PROJECT)",
    async () => {
      const faults = await faultsOf([agents, brokenAgent()], adkTypes, [adkProject]);
      expect(faults).toEqual([expect.stringContaining("modle")]);
    },
    120_000,
  );
});
