import { expect, it } from "vitest";
import type { BaseTool } from "#kit/core/base-tool.ts";
import { PrefixedTool } from "#kit/core/prefixed-tool.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { SetModelResponseTool } from "#kit/llm-agent/output/set-model-response-tool.ts";
import { TransferToAgentTool } from "#kit/llm-agent/transfer/transfer-to-agent-tool.ts";
import { toSchema } from "#kit/schema/schema.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { AgentTool, AgentToolArtifacts, AgentToolState } from "./agent-tool.ts";
import { ExitLoopTool } from "./exit-loop-tool.ts";
import { FunctionTool, LongRunningFunctionTool } from "./function-tool.ts";
import { LoadArtifactsTool } from "./load-artifacts-tool.ts";
import { LoadMemoryTool } from "./load-memory-tool.ts";
import {
  EnterpriseWebSearchTool,
  GoogleMapsGroundingTool,
  GoogleSearchTool,
  UrlContextTool,
} from "./model-tools/gemini-tools.ts";
import { VertexAiSearchTool } from "./model-tools/vertex-ai-search-tool.ts";
import { VertexRagRetrievalTool } from "./model-tools/vertex-rag-retrieval-tool.ts";
import { PreloadMemoryTool } from "./preload-memory-tool.ts";

const agent = new LlmAgent({ name: "helper", description: "Helps.", model: new ScriptedModel([]) });
const given = { name: "act", description: "Acts.", execute: () => 1 };
const facts = { timeoutMs: 5, idempotent: true, parallelSafe: false, requireConfirmation: true };
const dataStoreId = "projects/p/collections/c/dataStores/d";
const corpora = { name: "find", description: "Finds.", ragCorpora: ["projects/p/ragCorpora/c"] };

/** A tool, whether its calls may run twice, and the parameters of its declaration; none if it declares nothing. */
const TOOLS: readonly (readonly [BaseTool, string, { idempotent?: true; takes?: readonly string[] }])[] = [
  [new ExitLoopTool(), "exit_loop", { idempotent: true, takes: [] }],
  [new LoadArtifactsTool(), "load_artifacts", { idempotent: true, takes: ["artifact_names"] }],
  [new LoadMemoryTool(), "load_memory", { idempotent: true, takes: ["query"] }],
  [new PreloadMemoryTool(), "preload_memory", {}],
  [new SetModelResponseTool(toSchema({ type: "array" })), "set_model_response", { idempotent: true, takes: ["value"] }],
  [new TransferToAgentTool([agent]), "transfer_to_agent", { idempotent: true, takes: ["agent_name"] }],
  [new AgentTool({ agent }), "helper", { idempotent: true, takes: ["request"] }],
  [new AgentTool({ agent, artifacts: AgentToolArtifacts.ISOLATED }), "helper", { takes: ["request"] }],
  [new AgentTool({ agent, state: AgentToolState.ISOLATED }), "helper", { takes: ["request"] }],
  [new FunctionTool(given), "act", { takes: [] }],
  [new GoogleSearchTool(), "google_search", {}],
  [new GoogleMapsGroundingTool(), "google_maps", {}],
  [new EnterpriseWebSearchTool(), "enterprise_web_search", {}],
  [new UrlContextTool(), "url_context", {}],
  [new VertexAiSearchTool({ dataStoreId }), "vertex_ai_search", {}],
  [new VertexRagRetrievalTool(corpora), "find", { idempotent: true, takes: ["query"] }],
];

it.each(TOOLS)(
  "$name may be called twice, and takes what it declares: %#",
  (tool, name, { idempotent = false, takes }) => {
    const { isLongRunning, parallelSafe, timeoutMs } = tool;
    expect({ name: tool.name, idempotent: tool.idempotent, isLongRunning, parallelSafe, timeoutMs }).toEqual({
      ...{ name, idempotent, isLongRunning: false, parallelSafe: true, timeoutMs: undefined },
    });
    expect(tool.description.length).toBeGreaterThan(0);
    const declaration = tool.getDeclaration();
    const { properties = {}, required = [] } = (declaration?.parameters ?? {}) as Record<string, object>;
    expect(declaration === undefined ? undefined : Object.keys(properties)).toEqual(takes);
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(required as string[]));
    if (declaration !== undefined) expect(declaration).toMatchObject({ name, description: tool.description });
  },
);

it.each([
  [undefined, false],
  [false, false],
  [true, true],
  [() => false, true],
])("a function's tool with requireConfirmation %s declares confirmations: %s", (requireConfirmation, declares) => {
  expect(new FunctionTool({ ...given, requireConfirmation }).declaresConfirmation).toBe(declares);
});

it("a function's tool, also under another name, has what it was given", () => {
  const tool = new FunctionTool({ ...given, ...facts });
  const expected = { description: "Acts.", isLongRunning: false, timeoutMs: 5, idempotent: true, parallelSafe: false };
  const prefixed = new PrefixedTool(tool, "my");
  expect([tool, prefixed]).toMatchObject([
    { ...expected, name: "act", declaresConfirmation: true },
    { ...expected, name: "my_act", declaresConfirmation: true },
  ]);
  expect([tool.getDeclaration()?.name, prefixed.getDeclaration()?.name]).toEqual(["act", "my_act"]);
});

it("a long-running tool is one whatever else it is given", () => {
  const options = { ...given, ...facts, isLongRunning: false };
  expect(new LongRunningFunctionTool(options)).toMatchObject({ isLongRunning: true, idempotent: true, timeoutMs: 5 });
  // The model is told not to call it again for the same work.
  const { description } = new LongRunningFunctionTool(given).getDeclaration();
  expect(description).toMatch(/^Acts\.\n\nThis is a long-running operation/);
  expect(new FunctionTool(given).getDeclaration().description).toBe("Acts.");
});
