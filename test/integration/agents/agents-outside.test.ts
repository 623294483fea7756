import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";

/** Loads every app of a folder in a separate process, without the test runner's module resolution. */
async function loadAll(directory: string): Promise<string> {
  const script = `
    import { DirectoryAgentLoader } from ${JSON.stringify(join(REPOSITORY_ROOT, "kit/definitions/loaders/directory-agent-loader.ts"))};
    const loader = new DirectoryAgentLoader({ directory: ${JSON.stringify(directory)} });
    for (const name of await loader.listAgents()) {
      const { app } = await loader.loadAgent(name).catch((error) => ({ app: { rootAgent: { name: error.message + " " + error.logDetail } } }));
      console.log(name, app.rootAgent.name);
    }
    await loader.close();`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], { cwd: directory });
  return stdout;
}

describe("agents outside the repository", () => {
  it("find the kit that loads them, and the schema libraries that it offers", async () => {
    const folder = agentsFolder({
      "code/agent.ts": `import { FunctionTool, LlmAgent } from "fairlead/kit";
import { Type } from "typebox";
import { z } from "zod";
const tools: readonly FunctionTool[] = [z.object({}), Type.Object({})].map(
  (parameters, index) => new FunctionTool({ name: "t" + index, description: "", parameters, execute: () => 1 }),
);
export const rootAgent: LlmAgent = new LlmAgent({ name: "outsider", tools });`,
      "commonjs/agent.ts": 'import "fairlead/kit";',
      "commonjs/package.json": '{ "type": "commonjs" }',
      "main_entry/agent.ts":
        'import { LlmAgent } from "fairlead";\nexport const rootAgent = new LlmAgent({ name: "a" });',
      "other/agent.ts": 'import "no-such-package";',
      "syntax/agent.ts": "export const a = 1;\nexport const = 2;\n",
      "yaml/root_agent.yaml": "name: plain\ninstruction: x",
    });
    const lines = (await loadAll(folder.path)).split("\n");
    expect(lines).toEqual([
      "code outsider",
      expect.stringMatching(
        /^commonjs commonjs\/agent\.ts:1.* the nearest package\.json.* Set "type": "module" there\./,
      ),
      expect.stringMatching(
        /^main_entry main_entry\/agent\.ts.* the package has no entry "fairlead"\. Import from "fairlead\/kit"\./,
      ),
      expect.stringMatching(/^other other\/agent\.ts.* cannot be loaded\. .*Cannot find package 'no-such-package'/),
      expect.stringMatching(/^syntax syntax\/agent\.ts:2.* cannot be loaded\. SyntaxError/),
      "yaml plain",
      "",
    ]);
    expect(lines.join()).not.toContain(folder.path);
  });
});
