import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { CompiledAgentLoader } from "./compiled-agent-loader.ts";
import { DirectoryAgentLoader } from "./directory-agent-loader.ts";

const LLM = "name: root\nmodel: demo/chat\ninstruction: Answer.\n";

/** A module that exports an agent of this name as `key`. */
const module = (name: string, key = "rootAgent"): string =>
  `import { LlmAgent } from "fairlead/kit";\nexport const ${key} = new LlmAgent({ name: "${name}" });\n`;

function open(path: string) {
  const logger = new RecordingLogger();
  const loader = new DirectoryAgentLoader({ directory: path, hotReload: false, logger });
  onTestFinished(() => loader.close());
  return { loader, logger };
}

function openCompiled(sourceDir: string, buildOutputDirs: readonly string[] = []) {
  const loader = new CompiledAgentLoader({ sourceDir, buildOutputDirs });
  onTestFinished(() => loader.close());
  return loader;
}

describe("DirectoryAgentLoader", () => {
  it("serves modules and definitions alike; where both are, the module", async () => {
    const folder = agentsFolder({
      "code/agent.ts": module("coder"),
      "code/root_agent.yaml": LLM,
      "code/README.md": "# Code",
      "yaml/root_agent.yaml": LLM,
    });
    const { loader } = open(folder.path);
    expect(await loader.listAgents()).toEqual(["code", "yaml"]);
    const { app, ...code } = await loader.loadAgent("code");
    const agentRevision = expect.stringMatching(/^[0-9a-f]{12}$/);
    expect(code).toEqual({ name: "code", language: "typescript", readme: "# Code", version: 1, agentRevision });
    expect(app.rootAgent).toBeInstanceOf(LlmAgent);
    expect(app.rootAgent.name).toBe("coder");
    expect((await loader.loadAgent("yaml")).language).toBe("yaml");
  });

  it("lets a definition's folder bring its own components", async () => {
    const folder = agentsFolder({
      "shop/root_agent.yaml": `${LLM}tools: [{name: add}]`,
      "shop/components.ts": `import { FunctionTool } from "fairlead/kit";
export async function registerComponents(registry) {
  await new Promise(setImmediate);
  registry.toolInstances.register("add", new FunctionTool({ name: "add", description: "", execute: () => 1 }));
}`,
      "other/root_agent.yaml": `${LLM}tools: [{name: add}]`,
    });
    const { loader } = open(folder.path);
    expect((await loader.loadAgent("shop")).app.rootAgent).toMatchObject({ tools: [{ name: "add" }] });
    await expect(loader.loadAgent("other")).rejects.toMatchObject({ reason: "CONFIGURATION" });
  });

  it("reports a module that cannot be loaded, without a path of the server", async () => {
    const folder = agentsFolder({
      "thrown/agent.ts": 'const answer = 42;\nthrow new Error("no luck with /etc/secret/file.txt");\n',
      "empty/agent.ts": "export const other = 1;\n",
      "wrong/agent.ts": 'export const rootAgent = { name: "x" };\n',
      "missing/agent.ts": 'import "./not-there.ts";\n',
    });
    const { loader, logger } = open(folder.path);
    const failureOf = (name: string): Promise<unknown> =>
      loader.loadAgent(name).then(
        () => "loaded",
        (error: unknown) => (error instanceof Error ? error.message : error),
      );
    expect(await failureOf("thrown")).toMatch(/^thrown\/agent\.ts:2:\d+ cannot be loaded\.$/);
    expect(await failureOf("empty")).toBe('empty/agent.ts exports no agent: export "rootAgent" or "app".');
    expect(await failureOf("wrong")).toBe(
      'wrong/agent.ts exports "rootAgent", which is neither an agent nor an app of this kit.',
    );
    expect(await failureOf("missing")).toMatch(/^missing\/agent\.ts.* cannot be loaded\.$/);
    const logged = logger.lines.map(({ message }) => message).join("\n");
    expect(logged).toMatch(/cannot be loaded\. Error: no luck with file\.txt$/m);
    expect(logged).toMatch(/cannot be loaded\. .*not-there\.ts/);
    expect(logged).not.toContain(folder.path);
    expect(logger.lines.filter(({ level }) => level === "error").map(({ fields }) => fields["file"])).toEqual([
      "thrown/agent.ts",
      "empty/agent.ts",
      "wrong/agent.ts",
      "missing/agent.ts",
    ]);
  });
});

describe("CompiledAgentLoader", () => {
  it("finds modules in folders, nested ones by dotted names", async () => {
    verifies("what-the-service-does:compiled-loader");
    const folder = agentsFolder({
      "a/agent.ts": module("a"),
      "group/b/index.ts":
        module("b", "app_").replace("export const app_ =", "const rootAgent =") + "export default rootAgent;\n",
      "c/agent.js": `${module("c", "root")}export const app = { name: "other", rootAgent: root, plugins: [{ name: "p" }] };\n`,
      "yaml/root_agent.yaml": LLM,
      "a/tools/index.ts": "export const tools = [];\n",
    });
    const loader = openCompiled(folder.path);
    expect(await loader.listAgents()).toEqual(["a", "c", "group.b"]);
    expect((await loader.loadAgent("group.b")).app.rootAgent.name).toBe("b");
    const { app } = await loader.loadAgent("c");
    expect([app.name, app.rootAgent.name, app.plugins]).toEqual(["c", "c", [{ name: "p" }]]);
  });

  it("takes compiled files of the build output folders first", async () => {
    verifies(
      "what-the-service-does:compiled-loader",
      "configuration:agent-loading:source-dir",
      "configuration:agent-loading:build-output-dirs",
    );
    const folder = agentsFolder({
      "a/agent.ts": module("source_a"),
      "b/agent.ts": module("source_b"),
      "dist/a/agent.js": module("built_a"),
      "dist/only/index.js": module("built_only"),
      "dist/b/agent.ts": module("no_output"),
      "out/a/agent.js": module("later_a"),
    });
    const loader = openCompiled(folder.path, ["dist", "out", "missing"]);
    expect(await loader.listAgents()).toEqual(["a", "b", "only"]);
    const names = await Promise.all(
      ["a", "b", "only"].map(async (name) => (await loader.loadAgent(name)).app.rootAgent.name),
    );
    expect(names).toEqual(["built_a", "source_b", "built_only"]);
  });

  it("serves a folder that is an app itself", async () => {
    const folder = agentsFolder({ "solo/agent.ts": module("solo_agent") });
    expect(await openCompiled(join(folder.path, "solo")).listAgents()).toEqual(["solo"]);
  });
});
