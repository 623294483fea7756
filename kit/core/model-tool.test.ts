import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import {
  BuiltInCodeExecutionTool,
  createGoogleSearchAgentTool,
  EnterpriseWebSearchTool,
  GoogleMapsGroundingTool,
  GoogleSearchTool,
  UrlContextTool,
} from "#kit/tools/model-tools/gemini-tools.ts";
import { VertexAiSearchTool } from "#kit/tools/model-tools/vertex-ai-search-tool.ts";
import {
  VertexRagRetrievalTool,
  type VertexRagRetrievalToolOptions,
} from "#kit/tools/model-tools/vertex-rag-retrieval-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import type { BaseTool } from "./base-tool.ts";
import { ToolContext } from "./context/tool-context.ts";

async function requestWith(tool: BaseTool, model: string): Promise<LlmRequest<BaseTool>> {
  const request = new LlmRequest<BaseTool>({ model, config: { modelTools: [{ before: {} }] } });
  await tool.processLlmRequest(new ToolContext(createInvocation()), request);
  return request;
}

/** The model's own tools that the tool added to the request. */
async function declared(tool: BaseTool, model = "gemini-2.5-flash"): Promise<readonly JsonObject[]> {
  const { config, tools } = await requestWith(tool, model);
  expect(config.modelTools?.[0]).toEqual({ before: {} });
  expect([...tools.keys()]).toEqual([]);
  return config.modelTools?.slice(1) ?? [];
}

describe("tools that run inside the model", () => {
  it("are declared in the request as the model's own", async () => {
    verifies(
      "tools:built-in:web-search",
      "tools:built-in:maps-search",
      "tools:built-in:url-context",
      "tools:built-in:code-execution",
      "tools:built-in:managed-search",
      "what-the-service-does:kit-search-tool",
      "what-the-service-does:kit-maps-tool",
      "what-the-service-does:kit-url-context-tool",
      "what-the-service-does:kit-code-execution-tool",
    );
    expect(await declared(new GoogleSearchTool())).toEqual([{ googleSearch: {} }]);
    expect(await declared(new GoogleMapsGroundingTool())).toEqual([{ googleMaps: {} }]);
    expect(await declared(new UrlContextTool())).toEqual([{ urlContext: {} }]);
    expect(await declared(new BuiltInCodeExecutionTool())).toEqual([{ codeExecution: {} }]);
    expect(await declared(new EnterpriseWebSearchTool())).toEqual([{ enterpriseWebSearch: {} }]);
    const search = new VertexAiSearchTool({ searchEngineId: "e", dataStoreSpecs: [{ dataStore: "d" }], filter: "f" });
    expect(await declared(search)).toEqual([
      { retrieval: { vertexAiSearch: { engine: "e", dataStoreSpecs: [{ dataStore: "d" }], filter: "f" } } },
    ]);
  });

  it.each([
    "gemini-2.0-flash",
    "gemini-3-pro-preview",
    "gemini-flash-latest",
    "projects/p/locations/l/publishers/google/models/gemini-2.5-pro",
    "apigee/gemini/v1/gemini-2.5-pro",
  ])("are supported by %s", async (model) => {
    expect(await declared(new GoogleSearchTool(), model)).toHaveLength(1);
  });

  it.each(["gemini-1.5-pro", "gpt-5", "claude-sonnet-4", "demo/chat", "projects/gemini-2/models/other"])(
    "are refused for %s, by the names of tool and model",
    async (model) => {
      await expect(requestWith(new GoogleSearchTool(), model)).rejects.toMatchObject({
        reason: "MODEL_TOOL_UNSUPPORTED",
        message: `The tool "google_search" runs inside the model, and "${model}" does not have it: use a Gemini model from 2 on.`,
        details: { tool: "google_search", model },
      });
    },
  );

  it("are taken by any model when the author says so", async () => {
    expect(await declared(new UrlContextTool({ anyModel: true }), "my-tuned-model")).toEqual([{ urlContext: {} }]);
  });

  it("run one search", () => {
    const both = { dataStoreId: "d", searchEngineId: "e" };
    expect(() => new VertexAiSearchTool(both)).toThrow(
      'Managed search needs either "dataStoreId" or "searchEngineId".',
    );
    expect(() => new VertexAiSearchTool({ dataStoreId: "d", dataStoreSpecs: [] })).toThrow(
      '"dataStoreSpecs" choose among the stores of a "searchEngineId".',
    );
  });

  it("can be combined with functions as an agent of their own", async () => {
    const tool = createGoogleSearchAgentTool("gemini-2.5-flash");
    const { config, functionDeclarations } = await requestWith(tool, "gemini-2.5-flash");
    expect(config.modelTools).toEqual([{ before: {} }]);
    expect(functionDeclarations.map(({ name }) => name)).toEqual(["google_search_agent"]);
    const inner = tool.agent instanceof LlmAgent ? tool.agent.tools : [];
    expect(inner[0]).toBeInstanceOf(GoogleSearchTool);
  });
});

describe("managed retrieval", () => {
  const options: VertexRagRetrievalToolOptions = { name: "papers", description: "Papers.", ragCorpora: ["c"] };
  const retrieve = async (query: string) => (query === "nothing" ? [] : [`text on ${query}`]);

  it("is the model's own on Vertex AI", async () => {
    verifies("tools:built-in:managed-retrieval");
    const tool = new VertexRagRetrievalTool({ ...options, usesVertexAi: true, similarityTopK: 3, retrieve });
    expect(await declared(tool)).toEqual([{ retrieval: { vertexRagStore: { ragCorpora: ["c"], similarityTopK: 3 } } }]);
  });

  it.each([
    ["gpt-5", true],
    ["gemini-2.5-flash", false],
  ])("is a function for %s when the author brings one", async (model, usesVertexAi) => {
    const tool = new VertexRagRetrievalTool({ ...options, usesVertexAi, retrieve });
    const { config, functionDeclarations } = await requestWith(tool, model);
    expect(config.modelTools).toEqual([{ before: {} }]);
    const query = { type: "string", description: "What to look for." };
    expect(functionDeclarations).toEqual([
      { name: "papers", description: "Papers.", parameters: { type: "object", properties: { query } } },
    ]);
    const context = new ToolContext(createInvocation());
    expect(await tool.runAsync({ query: "ants" }, context)).toEqual({ response: ["text on ants"] });
    expect(await tool.runAsync({ query: "nothing" }, context)).toEqual({ response: "Nothing was found for: nothing" });
  });

  it.each([
    ["gpt-5", true, '"gpt-5" does not have it: use a Gemini model on Vertex AI, or give the tool "retrieve".'],
    ["gemini-2.5-flash", false, '"gemini-2.5-flash" is reached through the Gemini API: set GOOGLE_GENAI_USE_VERTEXAI'],
  ])("is refused for %s without one", async (model, usesVertexAi, problem) => {
    const refused = requestWith(new VertexRagRetrievalTool({ ...options, usesVertexAi }), model);
    await expect(refused).rejects.toMatchObject({
      reason: "MODEL_TOOL_UNSUPPORTED",
      message: expect.stringContaining(problem),
    });
  });
});
