import { expect, it } from "vitest";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { SequentialPlanner } from "#kit/planners/sequential-planner.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { load, problemsOf, registry } from "#test/helpers/worlds/definitions.ts";
import type { LlmAgentConfig, LoopAgentConfig, RemoteA2AAgentConfig } from "./agent-config.ts";
import { AGENT_FIELDS } from "./agent-fields.ts";
import type { PlannerAgentConfig } from "./planner-config.ts";

/** A value of the file, and what the agent has because of it. */
interface FieldCase {
  readonly given: JsonValue;
  readonly agent: object;
}

type Cases<Config> = Readonly<Record<keyof Config, FieldCase>>;

/** Each component is another one, so that two of them that are swapped are noticed. */
const components = registry();

function component<Value>(
  table: { register: (name: string, value: Value) => unknown },
  name: string,
  value: Value,
): Value {
  table.register(name, value);
  return value;
}

function toolOf(name: string): FunctionTool {
  return component(components.toolInstances, name, new FunctionTool({ name, description: "", execute: () => name }));
}

/** Two callbacks, whose order counts. */
function callbackCase(field: string): FieldCase {
  const names = [`${field}.first`, `${field}.second`];
  const calls = names.map((name) => component(components.callbacks, name, () => name));
  return { given: names.map((name) => ({ name })), agent: { [field]: calls } };
}

function plain(field: string, value: JsonValue): FieldCase {
  return { given: value, agent: { [field]: value } };
}

const instruction = (field: string): FieldCase => ({
  given: `The ${field}.`,
  agent: { [field]: { kind: "static", text: `The ${field}.` } },
});
const schema = (field: string): FieldCase => {
  const given = { type: "object", properties: { [field]: { type: "string" } } };
  return { given, agent: { [field]: { jsonSchema: given } } };
};
const instance = (field: string, own: string, value: object): FieldCase => ({
  given: { name: field },
  agent: { [own]: component(components.instances, field, value) },
});

components.instances.register("first", () => new LlmAgent({ name: "first" }));
components.instances.register("second", () => new LlmAgent({ name: "second" }));

const BASE = {
  name: plain("name", "root"),
  description: plain("description", "About."),
  subAgents: {
    given: [{ code: "first" }, { code: "second" }],
    agent: { subAgents: [{ name: "first" }, { name: "second" }] },
  },
  beforeAgentCallbacks: callbackCase("beforeAgentCallbacks"),
  afterAgentCallbacks: callbackCase("afterAgentCallbacks"),
};
const MAX_ITERATIONS = plain("maxIterations", 7);

const LLM: Cases<Omit<LlmAgentConfig, "agentClass" | "modelCode">> = {
  ...BASE,
  model: plain("model", "demo/chat"),
  fallbackModels: plain("fallbackModels", ["demo/weather"]),
  instruction: instruction("instruction"),
  globalInstruction: instruction("globalInstruction"),
  staticInstruction: plain("staticInstruction", "Always so."),
  instructionTemplates: plain("instructionTemplates", "STRICT"),
  includeContents: plain("includeContents", "NONE"),
  inputSchema: schema("inputSchema"),
  outputSchema: schema("outputSchema"),
  outputKey: plain("outputKey", "answer"),
  planner: instance("planner", "planner", { buildPlanningInstruction: () => undefined }),
  codeExecutor: instance("codeExecutor", "codeExecutor", { kind: "model" }),
  disallowTransferToParent: plain("disallowTransferToParent", true),
  disallowTransferToPeers: plain("disallowTransferToPeers", true),
  maxSteps: plain("maxSteps", 4),
  executor: instance("executor", "executor", { execute: () => undefined }),
  generateContentConfig: plain("generateContentConfig", { temperature: 0.5, topP: 0.25 }),
  tools: { given: [{ name: "one" }, { name: "two" }], agent: { tools: ["one", "two"].map(toolOf) } },
  beforeModelCallbacks: callbackCase("beforeModelCallbacks"),
  afterModelCallbacks: callbackCase("afterModelCallbacks"),
  onModelErrorCallbacks: callbackCase("onModelErrorCallbacks"),
  beforeToolCallbacks: callbackCase("beforeToolCallbacks"),
  afterToolCallbacks: callbackCase("afterToolCallbacks"),
  onToolErrorCallbacks: callbackCase("onToolErrorCallbacks"),
};

const planner = new SequentialPlanner();
components.instances.register("own_planner", planner);

function authCase(field: string, value: object): FieldCase {
  return {
    given: `remote_${field}`,
    agent: { auth: { [field]: component(components.instances, `remote_${field}`, value) } },
  };
}

const CLASSES: Readonly<Record<string, Readonly<Record<string, FieldCase>>>> = {
  LlmAgent: LLM,
  SequentialAgent: BASE,
  ParallelAgent: BASE,
  LoopAgent: { ...BASE, maxIterations: MAX_ITERATIONS } satisfies Cases<Omit<LoopAgentConfig, "agentClass">>,
  PlannerAgent: {
    ...BASE,
    maxIterations: MAX_ITERATIONS,
    planner: { given: { name: "own_planner" }, agent: { planner } },
  } satisfies Cases<Omit<PlannerAgentConfig, "agentClass">>,
  RemoteA2AAgent: {
    ...BASE,
    agentCard: { given: "https://primes.example.com", agent: { agentCard: "https://primes.example.com" } },
    credentialKey: { given: "of_primes", agent: { auth: { credentialKey: "of_primes" } } },
    authScheme: authCase("authScheme", { type: "apiKey", in: "header", name: "x-key" }),
    authCredential: authCase("authCredential", { authType: "apiKey", apiKey: "k" }),
    headerProvider: authCase("headerProvider", () => ({})),
  } satisfies Cases<Omit<RemoteA2AAgentConfig, "agentClass" | "signIn">>,
};

/** Fields that stand for another field, or exclude it, and the class that has them; all classes have the first. */
const ALONE = { agentClass: "", modelCode: "LlmAgent", signIn: "RemoteA2AAgent" };

function aloneIn(name: string): readonly string[] {
  return Object.entries(ALONE).flatMap(([field, owner]) => (owner === "" || owner === name ? [field] : []));
}

it("covers every field of every class of agents", () => {
  const fields = Object.entries(AGENT_FIELDS).map(([name, shape]) => [
    name,
    Object.keys(shape.properties ?? {}).sort(),
  ]);
  const covered = Object.entries(CLASSES).map(([name, cases]) => [
    name,
    [...Object.keys(cases), ...aloneIn(name)].sort(),
  ]);
  expect(covered).toEqual(fields);
});

it.each(Object.entries(CLASSES))("puts each field of %s in its own place", async (agentClass, cases) => {
  verifies(
    "definitions:base:before-agent-callbacks",
    "definitions:base:after-agent-callbacks",
    "definitions:llm:before-model-callbacks",
    "definitions:llm:after-model-callbacks",
    "definitions:llm:before-tool-callbacks",
    "definitions:llm:after-tool-callbacks",
  );
  const given = Object.fromEntries(Object.entries(cases).map(([field, one]) => [field, one.given]));
  const agent: BaseAgent = await load({ "root_agent.json": JSON.stringify({ agentClass, ...given }) }, components);
  for (const [field, one] of Object.entries(cases)) expect(agent, field).toMatchObject(one.agent);
});

it("refuses a registered agent that has its place in another tree, and takes what a function makes each time", async () => {
  const own = registry();
  own.instances.register("only", new LlmAgent({ name: "only" }));
  const twice = (code: string) => ({
    "root_agent.yaml": `agentClass: SequentialAgent\nname: root\nsubAgents: [{configPath: a.yaml}, {configPath: b.yaml}]`,
    "a.yaml": `agentClass: SequentialAgent\nname: a\nsubAgents: [{code: ${code}}]`,
    "b.yaml": `agentClass: SequentialAgent\nname: b\nsubAgents: [{code: ${code}}]`,
  });
  const one = { "root_agent.yaml": "agentClass: SequentialAgent\nname: root\nsubAgents: [{code: only}]" };
  expect((await load(one, own)).subAgents).toHaveLength(1);
  expect(await problemsOf(one, own)).toEqual([expect.stringContaining('The agent "only" is in use already')]);
  const made = await load(twice("maker"), own).catch((error: unknown) => String(error));
  expect(String(made)).not.toContain("in use already");
});
