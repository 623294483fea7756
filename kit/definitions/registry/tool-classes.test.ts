import { describe, expect, it } from "vitest";
import type { BaseTool } from "#kit/core/base-tool.ts";
import { ToolContext } from "#kit/core/context/tool-context.ts";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import { ExampleTool } from "#kit/tools/example-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { registerAdditionalComponents } from "./additional-components.ts";
import { ComponentRegistry } from "./component-registry.ts";
import { registerCoreComponents } from "./core-components.ts";

const SHOP = "name: shop\nmodel: demo/chat\ninstruction: x\n";
const ORACLE = "name: oracle\ndescription: Knows.\nmodel: demo/chat\ninstruction: Answer.\n";

function registry(): ComponentRegistry {
  const components = registerAdditionalComponents(registerCoreComponents(new ComponentRegistry()));
  const getExamples = () => [{ input: userContent("Hi"), output: [userContent("Ho")] }];
  components.instances.register("greetings", { getExamples });
  return components;
}

/** The root agent of files, with JSON instead of YAML for the arguments. */
async function load(files: Record<string, string>): Promise<LlmAgent> {
  const folder = agentsFolder(Object.fromEntries(Object.entries(files).map(([name, text]) => [`shop/${name}`, text])));
  const loader = new ConfigAgentLoader(folder.path, false, { registry: registry() });
  const { rootAgent } = (await loader.loadAgent("shop")).app;
  return rootAgent instanceof LlmAgent ? rootAgent : expect.unreachable();
}

async function toolOf(name: string, args: JsonObject, files: Record<string, string> = {}): Promise<BaseTool> {
  const root = `${SHOP}tools:\n  - name: ${name}\n    args: ${JSON.stringify(args)}\n`;
  const [tool] = (await load({ "root_agent.yaml": root, ...files })).tools;
  return tool !== undefined && "runAsync" in tool ? tool : expect.unreachable();
}

/** The part that the tool adds to a request to the model. */
async function requestWith(tool: BaseTool, model: string): Promise<LlmRequest<BaseTool>> {
  const request = new LlmRequest<BaseTool>({ model });
  const invocation = createInvocation();
  const asked = invocation.forTool({
    agent: invocation.agent,
    branch: "b",
    input: userContent("Hi"),
    session: invocation.session,
    services: invocation.services,
    signal: invocation.signal,
  });
  await tool.processLlmRequest(new ToolContext(asked), request);
  return request;
}

describe("AgentTool", () => {
  it("takes the agent of a file, as often as it is named", async () => {
    const use = "  - name: AgentTool\n    args: {agent: {config_path: tools/oracle.yaml}, skip_summarization: true}\n";
    const root = await load({
      "root_agent.yaml": `${SHOP}tools:\n${use}subAgents: [{configPath: other.yaml}]`,
      "other.yaml": `name: other\ninstruction: x\ntools:\n${use}`,
      "tools/oracle.yaml": ORACLE,
    });
    const other = root.subAgents[0] instanceof LlmAgent ? root.subAgents[0] : expect.unreachable();
    const made = [...root.tools, ...other.tools].map((tool) => (tool instanceof AgentTool ? tool.agent : undefined));
    expect(made.map((agent) => agent?.name)).toEqual(["oracle", "oracle"]);
    expect(made[0]).not.toBe(made[1]);
  });

  it.each([
    [{}, '"agent" should have either "configPath" or "code", as text.'],
    [
      { agent: { configPath: "oracle.yaml", code: "x" } },
      '"agent" should have either "configPath" or "code", as text.',
    ],
    [{ agent: { configPath: "oracle.yaml" }, state: "SOME" }, '"state" should be one of SHARED, READ_ONLY, ISOLATED.'],
    [{ agent: { configPath: "oracle.yaml" }, skip: true }, 'there is no "skip"; it takes: agent, skipSummarization, '],
    [{ agent: { configPath: "oracle.yaml" }, includePlugins: "no" }, '"includePlugins" should be true or false.'],
  ])("refuses %j", async (args, problem) => {
    await expect(toolOf("AgentTool", args, { "oracle.yaml": ORACLE })).rejects.toThrow(
      `shop/root_agent.yaml:6:5 The tool "AgentTool" cannot be built: ${problem}`,
    );
  });

  it("refuses a circle of files", async () => {
    const ask = (file: string) => `tools:\n  - name: AgentTool\n    args: {agent: {configPath: ${file}}}\n`;
    const files = { "root_agent.yaml": SHOP + ask("oracle.yaml"), "oracle.yaml": ORACLE + ask("root_agent.yaml") };
    await expect(load(files)).rejects.toThrow(
      "The agents refer to each other in a circle: root_agent.yaml → oracle.yaml → root_agent.yaml.",
    );
  });

  it("reports what is wrong with the agent's own file, with its place there", async () => {
    const files = { "oracle.yaml": `${ORACLE}modle: x` };
    await expect(toolOf("AgentTool", { agent: { configPath: "oracle.yaml" } }, files)).rejects.toThrow(
      /^shop\/oracle\.yaml:5:1 Unknown field "modle": did you mean "model"\?$/,
    );
  });
});

describe("ExampleTool", () => {
  it.each([
    ["a list of texts", { examples: [{ input: "Hi", output: "Ho" }] }],
    [
      "a list of contents",
      { examples: [{ input: { parts: [{ text: "Hi" }] }, output: [{ parts: [{ text: "Ho" }] }] }] },
    ],
    ["a provider of the registry", { examples: "greetings" }],
  ])("takes %s", async (_, args) => {
    verifies("definitions:core-provider:example-tool");
    const tool = await toolOf("ExampleTool", args);
    expect(tool).toBeInstanceOf(ExampleTool);
    expect((await requestWith(tool, "demo/chat")).systemInstruction).toMatch(/\[user\]\nHi\n(\[model\]\n)?Ho\n/);
  });

  it.each([
    [{}, '"examples" should be a list of input and output, or name a provider of the component registry.'],
    [{ examples: "nobody" }, 'no provider of examples "nobody" is registered.'],
    [{ examples: [{ input: "Hi" }] }, "examples[0].output should be a text, or a map with a list of parts."],
    [{ examples: ["Hi"] }, "examples[0] should be a map of input and output."],
  ])("refuses %j", async (args, problem) => {
    await expect(toolOf("ExampleTool", args)).rejects.toThrow(problem);
  });
});

describe("managed tools", () => {
  it("search what their arguments name", async () => {
    const tool = await toolOf("VertexAiSearchTool", { data_store_id: "stores/a", max_results: 5 });
    const { config } = await requestWith(tool, "gemini-2.5-flash");
    expect(config.modelTools).toEqual([{ retrieval: { vertexAiSearch: { datastore: "stores/a", maxResults: 5 } } }]);
  });

  it.each([
    ["VertexAiSearchTool", {}, 'Managed search needs either "dataStoreId" or "searchEngineId".'],
    ["VertexAiSearchTool", { dataStoreSpecs: [1] }, '"dataStoreSpecs" should be a list of maps.'],
    ["VertexAiRagRetrieval", {}, 'Managed retrieval needs "ragCorpora" or "ragResources".'],
    ["VertexAiRagRetrieval", { ragCorpora: [1] }, '"ragCorpora" should be a list of names.'],
  ])("%s refuses %j", async (name, args, problem) => {
    await expect(toolOf(name, args)).rejects.toThrow(problem);
  });
});
