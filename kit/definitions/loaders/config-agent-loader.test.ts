import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LoopAgent } from "#kit/agents/loop-agent.ts";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { BuiltInCodeExecutor } from "#kit/code-executors/built-in-code-executor.ts";
import { ConcurrencyLimit } from "#kit/core/executor.ts";
import type { AgentClass } from "#kit/definitions/registry/component-registry.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { PlanReActPlanner } from "#kit/llm-agent/planners/plan-re-act-planner.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { callback, citySchema, fakeModel, LLM, load, registry, tool } from "#test/helpers/worlds/definitions.ts";
import { ConfigAgentLoader } from "./config-agent-loader.ts";

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
    const agentRevision = expect.stringMatching(/^[0-9a-f]{12}$/);
    expect(loaded).toEqual({ name: "a", language: "yaml", version: 1, agentRevision });
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
      "definitions:callback-ref:name",
      "definitions:llm:extends-base",
      "definitions:llm:instruction",
      "definitions:llm:include-contents",
      "definitions:llm:disallow-transfer-to-parent",
      "definitions:llm:disallow-transfer-to-peers",
      "definitions:llm:generate-content-config",
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
executor: {maxConcurrent: 2}
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
      executor: expect.any(ConcurrencyLimit),
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
generate_content_config: {max_output_tokens: 9, http_options: {timeout: 5000, retry_options: {attempts: 5, max_delay: 60, exp_base: 2}}}
sub_agents: [{code: maker}]
`,
    });
    expect(agent).toMatchObject({
      outputKey: "my_answer",
      generateContentConfig: {
        maxOutputTokens: 9,
        httpOptions: { timeout: 5000, retryOptions: { attempts: 5, maxDelay: 60, expBase: 2 } },
      },
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

  it("builds agents that run others beside each other, and in loops", async () => {
    verifies("definitions:loop:extends-base", "definitions:parallel:extends-base");
    const agent = await load({
      "root_agent.yaml": `agentClass: LoopAgent
name: root
description: Again.
max_iterations: 3
beforeAgentCallbacks: [{name: check}]
afterAgentCallbacks: [{name: check}]
subAgents: [{configPath: team.yaml}]`,
      "team.yaml": `agentClass: google.adk.agents.ParallelAgent
name: team
description: Together.
beforeAgentCallbacks: [{name: check}]
afterAgentCallbacks: [{name: check}]
subAgents: [{code: maker}]`,
    });
    const base = { beforeAgentCallbacks: [callback], afterAgentCallbacks: [callback] };
    expect(agent).toBeInstanceOf(LoopAgent);
    expect(agent).toMatchObject({ ...base, name: "root", description: "Again.", maxIterations: 3 });
    const [team] = agent.subAgents;
    expect(team).toBeInstanceOf(ParallelAgent);
    expect(team).toMatchObject({ ...base, name: "team", description: "Together.", subAgents: [{ name: "made" }] });
  });

  it("takes models and schemas of the registry, and callbacks for failures", async () => {
    const agent = await load({
      "root_agent.yaml": `name: root
instruction: x
modelCode: {name: fake}
inputSchema: {name: city}
outputSchema: {type: object}
staticInstruction: Always so.
instructionTemplates: strict
planner: {name: PlanReActPlanner}
codeExecutor: {name: BuiltInCodeExecutor}
onModelErrorCallbacks: [{name: check}]
onToolErrorCallbacks: [{name: check}]`,
    });
    expect(agent).toMatchObject({
      model: fakeModel,
      inputSchema: { jsonSchema: citySchema },
      outputSchema: { jsonSchema: { type: "object" } },
      staticInstruction: "Always so.",
      instructionTemplates: "STRICT",
      planner: new PlanReActPlanner(),
      codeExecutor: new BuiltInCodeExecutor(),
      onModelErrorCallbacks: [callback],
      onToolErrorCallbacks: [callback],
    });
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
