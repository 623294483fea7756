import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentsFolder } from "#test/helpers/agents-folder.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { LlmAgent } from "../agents/llm-agent.ts";
import { SequentialAgent } from "../agents/sequential-agent.ts";
import { FunctionTool } from "../tools/function-tool.ts";
import { LongRunningFunctionTool } from "../tools/long-running-function-tool.ts";
import { type AgentClass, ComponentRegistry } from "./component-registry.ts";
import { ConfigAgentLoader } from "./config-agent-loader.ts";
import { registerCoreComponents } from "./core-components.ts";
import { DefinitionException } from "./definition-problem.ts";

const LLM = "name: root\nmodel: demo/chat\ninstruction: Answer.\n";
const callback = () => undefined;
const tool = new FunctionTool({ name: "add", description: "Adds.", parameters: { type: "object" }, execute: () => 3 });

function registry(): ComponentRegistry {
  const components = registerCoreComponents(new ComponentRegistry());
  components.callbacks.register("check", callback);
  components.toolInstances.register("add", tool);
  components.instances.register("maker", () => new LlmAgent({ name: "made" }));
  components.instances.register("number", 7);
  return components;
}

async function load(files: Record<string, string>, components = registry()) {
  const folder = agentsFolder(Object.fromEntries(Object.entries(files).map(([name, text]) => [`shop/${name}`, text])));
  const loaded = await new ConfigAgentLoader(folder.path, false, { registry: components }).loadAgent("shop");
  return loaded.app.rootAgent;
}

/** The problems as file:line:column text. */
async function problemsOf(files: Record<string, string>): Promise<readonly string[]> {
  const error: unknown = await load(files).catch((thrown: unknown) => thrown);
  if (!(error instanceof DefinitionException)) throw new Error("The files were accepted.", { cause: error });
  expect(error.reason).toBe("CONFIGURATION");
  return error.message.split("\n");
}

describe("ConfigAgentLoader", () => {
  it("finds the folders that hold a definition, and names apps after them", async () => {
    verifies("what-the-service-does:config-loader", "what-the-service-does:config-loader-directory");
    const folder = agentsFolder({
      "b/root_agent.yaml": LLM,
      "a/root_agent.json": JSON.stringify({ name: "other", model: "demo/chat", instruction: "x" }),
      "c/root_agent.yml": LLM,
      "nested/deep/root_agent.yaml": LLM,
      "a/inner/root_agent.yaml": LLM,
      "code/agent.ts": "",
      ".hidden/root_agent.yaml": LLM,
      "_draft/root_agent.yaml": LLM,
      "node_modules/x/root_agent.yaml": LLM,
    });
    const loader = new ConfigAgentLoader(folder.path, false);
    expect(await loader.listAgents()).toEqual(["a", "b", "c", "nested.deep"]);
    const { app, ...loaded } = await loader.loadAgent("a");
    expect(loaded).toEqual({ name: "a", language: "yaml", version: 1 });
    expect([app.name, app.rootAgent.name]).toEqual(["a", "other"]);
    await expect(loader.loadAgent("code")).rejects.toMatchObject({ reason: "APP_NOT_FOUND" });
  });

  it("serves a folder that is an app itself, and shows its README", async () => {
    const folder = agentsFolder({ "shop/root_agent.yaml": LLM, "shop/README.md": "# Shop" });
    const loader = new ConfigAgentLoader(join(folder.path, "shop"), false);
    expect(await loader.listAgents()).toEqual(["shop"]);
    expect((await loader.loadAgent("shop")).readme).toBe("# Shop");
  });

  it("serves nothing from a folder that is not there", async () => {
    expect(await new ConfigAgentLoader("/nowhere/at/all", false).listAgents()).toEqual([]);
  });

  it("builds an LLM agent from all its fields", async () => {
    verifies(
      "definitions:base:description",
      "definitions:base:before-agent-callbacks",
      "definitions:base:after-agent-callbacks",
      "definitions:callback-ref:name",
      "definitions:llm:extends-base",
      "definitions:llm:instruction",
      "definitions:llm:include-contents",
      "definitions:llm:disallow-transfer-to-parent",
      "definitions:llm:disallow-transfer-to-peers",
      "definitions:llm:generate-content-config",
      "definitions:llm:before-model-callbacks",
      "definitions:llm:after-model-callbacks",
      "definitions:llm:before-tool-callbacks",
      "definitions:llm:after-tool-callbacks",
      "definitions:tool:name",
    );
    const agent = await load({
      "root_agent.yaml": `agentClass: LlmAgent
name: root
description: About.
model: demo/chat
instruction: Answer {name}.
globalInstruction: Be kind.
includeContents: none
outputKey: answer
outputSchema: {type: object, properties: {snake_case: {type: string}}}
disallowTransferToParent: true
disallowTransferToPeers: true
maxSteps: 4
generateContentConfig: {temperature: 0.5, maxOutputTokens: 9, stopSequences: [x], labels: {a_b: c}}
tools: [{name: add}]
beforeAgentCallbacks: [{name: check}]
afterAgentCallbacks: [{name: check}, {name: check}]
beforeModelCallbacks: [{name: check}]
afterModelCallbacks: [{name: check}]
beforeToolCallbacks: [{name: check}]
afterToolCallbacks: [{name: check}]
`,
    });
    expect(agent).toBeInstanceOf(LlmAgent);
    expect(agent).toMatchObject({
      name: "root",
      description: "About.",
      model: "demo/chat",
      instruction: { kind: "static", text: "Answer {name}." },
      globalInstruction: { kind: "static", text: "Be kind." },
      includeContents: "NONE",
      outputKey: "answer",
      outputSchema: { jsonSchema: { type: "object", properties: { snake_case: { type: "string" } } } },
      disallowTransferToParent: true,
      disallowTransferToPeers: true,
      maxSteps: 4,
      generateContentConfig: { temperature: 0.5, maxOutputTokens: 9, stopSequences: ["x"], labels: { a_b: "c" } },
      tools: [tool],
      beforeAgentCallbacks: [callback],
      afterAgentCallbacks: [callback, callback],
      beforeModelCallbacks: [callback],
      afterModelCallbacks: [callback],
      beforeToolCallbacks: [callback],
      afterToolCallbacks: [callback],
    });
  });

  it("reads the same fields in snake_case, and leaves keys of the author's own alone", async () => {
    verifies("definitions:base:sub-agents-key");
    const agent = await load({
      "root_agent.yaml": `agent_class: google.adk.agents.LlmAgent
name: root
model: demo/chat
instruction: x
output_key: my_answer
generate_content_config: {max_output_tokens: 9, http_options: {api_version: v1}}
sub_agents: [{code: maker}]
`,
    });
    expect(agent).toMatchObject({
      outputKey: "my_answer",
      generateContentConfig: { maxOutputTokens: 9, httpOptions: { api_version: "v1" } },
      subAgents: [{ name: "made" }],
    });
  });

  it("builds a tree from files and from agents in code", async () => {
    verifies(
      "definitions:base:agent-class",
      "definitions:base:sub-agents",
      "definitions:agent-ref:code",
      "definitions:agent-ref:config-path",
      "definitions:sequential:extends-base",
    );
    const agent = await load({
      "root_agent.yaml": `agentClass: SequentialAgent
name: root
description: In a row.
beforeAgentCallbacks: [{name: check}]
subAgents: [{configPath: parts/one.yaml}, {code: maker}]`,
      "parts/one.yaml": "name: one\ninstruction: x\nsubAgents: [{configPath: ../two.json}]",
      "two.json": '{"name": "two", "instruction": "x"}',
    });
    expect(agent).toBeInstanceOf(SequentialAgent);
    expect(agent).toMatchObject({ description: "In a row.", beforeAgentCallbacks: [callback] });
    expect(agent.subAgents.map(({ name }) => name)).toEqual(["one", "made"]);
    expect(agent.findAgent("two")?.parentAgent?.name).toBe("one");
  });

  it("builds tools and agents of registered classes, with their arguments", async () => {
    verifies("definitions:tool:args");
    const components = registry();
    const shout: AgentClass = { fromConfig: ({ name }) => new LlmAgent({ name: name.toUpperCase() }) };
    components.agentClasses.register("Shout", shout);
    components.toolClasses.register("Counter", {
      fromConfig: (args) =>
        new FunctionTool({ name: args.getOrDefault("tool_name", "none"), description: "", execute: () => args }),
    });
    const agent = await load(
      {
        "root_agent.yaml": `${LLM}tools:
  - {name: Counter, args: {tool_name: count, snake_case: [1]}}
  - {name: LongRunningFunctionTool, args: {func: add}}
subAgents: [{configPath: shout.yaml}]`,
        "shout.yaml": "agentClass: Shout\nname: hey",
      },
      components,
    );
    const { tools } = agent as LlmAgent;
    expect(tools.map((built) => "name" in built && built.name)).toEqual(["count", "add"]);
    expect(tools[1]).toBeInstanceOf(LongRunningFunctionTool);
    expect(agent.subAgents.map(({ name }) => name)).toEqual(["HEY"]);
  });
});

describe("a broken definition", () => {
  it("is reported with all its problems at once, each with its place", async () => {
    verifies("definitions:broken-file");
    const problems = await problemsOf({
      "root_agent.yaml": `name: root
modle: demo/chat
instruction: [1]
includeContents: SOME
disallowTransferToPeers: yes please
generateContentConfig: {temprature: 1, topK: high}
tools: [{name: subtract}, {args: {}}, add]
beforeModelCallbacks: [{name: chekc}]
subAgents:
  - {configPath: missing.yaml}
  - {configPath: other.yaml}
`,
      "other.yaml": "instruction: x\noutputKey:\nmaxSteps: 0\n",
    });
    expect(problems).toEqual([
      'shop/root_agent.yaml:2:1 Unknown field "modle": did you mean "model"?',
      "shop/root_agent.yaml:3:14 Expected text, found a list.",
      'shop/root_agent.yaml:4:18 Expected DEFAULT or NONE, found the text "SOME".',
      'shop/root_agent.yaml:5:26 Expected true or false, found the text "yes please".',
      'shop/root_agent.yaml:6:25 Unknown field "temprature": did you mean "temperature"?',
      'shop/root_agent.yaml:6:46 Expected a number, found the text "high".',
      'shop/root_agent.yaml:7:10 No tool "subtract" is registered.',
      'shop/root_agent.yaml:7:27 "name" is missing.',
      'shop/root_agent.yaml:7:39 Expected a map of fields, found the text "add".',
      'shop/root_agent.yaml:8:25 No callback "chekc" is registered: did you mean "check"?',
      "shop/root_agent.yaml:10:5 missing.yaml does not exist.",
      'shop/other.yaml:1:1 "name" is missing.',
      "shop/other.yaml:3:11 Expected an integer of 1 or more, found 0.",
    ]);
  });

  it.each([
    [
      "an unknown class",
      "agentClass: LmlAgent\nname: a",
      '1:13 No agent class "LmlAgent" is registered: did you mean "LlmAgent"?',
    ],
    ["a class of JavaScript", "agentClass: Function\nname: a", '1:13 No agent class "Function" is registered.'],
    [
      "a prototype's key as class",
      "agentClass: constructor\nname: a",
      '1:13 No agent class "constructor" is registered.',
    ],
    ["a class to come", "name: a\nagentClass: LoopAgent", '2:13 The agent class "LoopAgent" is not supported yet.'],
    [
      "another class to come",
      "name: a\nagent_class: google.adk.agents.ParallelAgent",
      '2:14 The agent class "google.adk.agents.ParallelAgent" is not supported yet.',
    ],
    [
      "a model that nobody serves",
      "name: a\ninstruction: x\nmodel: lama-3",
      '3:1 No model is registered for "lama-3".',
    ],
    [
      "a name that is no identifier",
      "name: my agent\ninstruction: x",
      '1:1 Agent name "my agent" is not an identifier',
    ],
    ["an empty name", "name:\ninstruction: x", '1:1 "name" is empty.'],
    ["no map", "- name: a", "1:1 Expected a map of fields, found a list."],
    ["fields of another class", "agentClass: SequentialAgent\nname: a\nmodel: demo/chat", '3:1 Unknown field "model"'],
    [
      "one field in two spellings",
      "name: a\ninstruction: x\noutputKey: b\noutput_key: c",
      '4:1 "outputKey" is given in two spellings: keep one.',
    ],
    ["a reference to nothing", `${LLM}subAgents: [{}]`, '4:13 Give "configPath" or "code".'],
    [
      "a reference to two things",
      `${LLM}subAgents: [{code: a, configPath: b.yaml}]`,
      '4:13 Give either "configPath" or "code", not both.',
    ],
    [
      "a path above the folder",
      `${LLM}subAgents: [{configPath: ../x.yaml}]`,
      `4:13 "../x.yaml" leaves the app's folder`,
    ],
    ["an absolute path", `${LLM}subAgents: [{configPath: /etc/x.yaml}]`, `4:13 "/etc/x.yaml" leaves the app's folder`],
    ["a path of Windows", `${LLM}subAgents: [{configPath: 'C:\\x.yaml'}]`, `4:13 "C:\\x.yaml" leaves the app's folder`],
    ["a file that is no definition", `${LLM}subAgents: [{configPath: agent.ts}]`, '4:13 "agent.ts" is no definition'],
    ["code that is not registered", `${LLM}subAgents: [{code: ./evil.ts}]`, '4:13 No agent "./evil.ts" is registered.'],
    ["code that is no agent", `${LLM}subAgents: [{code: number}]`, '4:13 No agent "number" is registered'],
    [
      "itself",
      `${LLM}subAgents: [{configPath: root_agent.yaml}]`,
      "4:13 The agents refer to each other in a circle: root_agent.yaml → root_agent.yaml.",
    ],
    [
      "args of a tool that takes none",
      `${LLM}tools: [{name: add, args: {a: 1}}]`,
      '4:21 The tool "add" takes no args here.',
    ],
    [
      "args that a tool refuses",
      `${LLM}tools: [{name: LongRunningFunctionTool, args: {func: nope}}]`,
      '4:41 The tool "LongRunningFunctionTool" cannot be built: "func" should name a tool',
    ],
  ])("with %s is refused", async (_, text, problem) => {
    verifies("definitions:data-only");
    expect(await problemsOf({ "root_agent.yaml": text })).toEqual([
      expect.stringContaining(`shop/root_agent.yaml:${problem}`),
    ]);
  });

  it("whose files refer to each other in a circle is refused", async () => {
    const problems = await problemsOf({
      "root_agent.yaml": `${LLM}subAgents: [{configPath: a.yaml}]`,
      "a.yaml": "name: a\ninstruction: x\nsubAgents:\n  - configPath: sub/../b.yaml",
      "b.yaml": "name: b\ninstruction: x\nsubAgents: [{configPath: a.yaml}]",
    });
    expect(problems).toEqual([
      "shop/b.yaml:3:13 The agents refer to each other in a circle: root_agent.yaml → a.yaml → b.yaml → a.yaml.",
    ]);
  });

  it("that uses a file or a name twice is refused", async () => {
    const problems = await problemsOf({
      "root_agent.yaml": `${LLM}subAgents: [{configPath: a.yaml}, {configPath: a.yaml}, {configPath: b.yaml}]`,
      "a.yaml": "name: a\ninstruction: x",
      "b.yaml": "instruction: x\nname: a",
    });
    expect(problems).toEqual([
      "shop/root_agent.yaml:4:35 a.yaml is in the tree already: an agent has one place in it.",
      'shop/b.yaml:2:1 "a" is the name of a.yaml too: names are unique within a tree.',
    ]);
  });

  it("that leaves its folder through a link is refused", async () => {
    const folder = agentsFolder({
      "shop/root_agent.yaml": `${LLM}subAgents: [{configPath: link.yaml}, {configPath: d/x.yaml}]`,
      "secret/x.yaml": LLM,
    });
    symlinkSync(join(folder.path, "secret/x.yaml"), join(folder.path, "shop/link.yaml"));
    symlinkSync(join(folder.path, "secret"), join(folder.path, "shop/d"));
    await expect(new ConfigAgentLoader(folder.path, false).loadAgent("shop")).rejects.toMatchObject({
      problems: [
        {
          file: "shop/root_agent.yaml",
          line: 4,
          column: 13,
          message: "link.yaml leaves the app's folder through a link.",
        },
        {
          file: "shop/root_agent.yaml",
          line: 4,
          column: 38,
          message: "d/x.yaml leaves the app's folder through a link.",
        },
      ],
    });
  });

  it("that is too large, no text or no file is refused", async () => {
    const folder = agentsFolder({
      "shop/root_agent.yaml": `${LLM}subAgents: [{configPath: a.yaml}, {configPath: b.yaml}, {configPath: c.yaml}]`,
      "shop/a.yaml": "#".repeat(300_000),
      "shop/b.yaml": "",
    });
    mkdirSync(join(folder.path, "shop/c.yaml"));
    writeFileSync(join(folder.path, "shop/b.yaml"), Buffer.from([0xff, 0xfe, 0x80]));
    await expect(new ConfigAgentLoader(folder.path, false).loadAgent("shop")).rejects.toMatchObject({
      problems: [
        { message: "a.yaml is over 256 KiB." },
        { message: "b.yaml is not UTF-8 text." },
        { message: "c.yaml is a folder." },
      ],
    });
  });

  it("names no path of the server", async () => {
    const problems = await problemsOf({ "root_agent.yaml": `${LLM}subAgents: [{configPath: missing.yaml}]` });
    expect(problems.join("\n")).not.toContain("/tmp");
  });
});
