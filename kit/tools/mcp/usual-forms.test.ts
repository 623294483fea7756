import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { startModernServer } from "#test/helpers/mcp/modern-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { responsesOf } from "#test/helpers/worlds/pay-world.ts";
import { McpToolset } from "./mcp-toolset.ts";

const TEXT = { type: "text", text: "done" };
const OBJECT = { type: "object" };

async function createWorld(server: { readonly url: string }, args: JsonObject = {}) {
  const connectionParams = { kind: "streamable-http", url: server.url } as const;
  const toolset = new McpToolset({ connectionParams, fetch: (input, init) => fetch(input, init) });
  const model = new ScriptedModel([functionCallResponse("get", args), "Done."]);
  const world = await createAgentWorld(new LlmAgent({ name: "a", model, tools: [toolset] }));
  return { model, response: async () => responsesOf((await world.run("go"))[1])[0] };
}

describe("a tool that its server declares in another form", () => {
  it.each<[string, object, object]>([
    [
      "null for its optional members",
      {
        description: null,
        title: null,
        outputSchema: null,
        annotations: null,
        icons: null,
        execution: null,
        _meta: null,
        inputSchema: OBJECT,
      },
      OBJECT,
    ],
    ["no schema", {}, OBJECT],
    ["null as its schema", { inputSchema: null }, OBJECT],
    ["an empty schema", { inputSchema: {} }, OBJECT],
    [
      "a schema without type",
      { inputSchema: { properties: { a: { type: "string" } } } },
      { ...OBJECT, properties: { a: { type: "string" } } },
    ],
    [
      "a schema with null for members and required ones",
      { inputSchema: { ...OBJECT, properties: null, required: null } },
      OBJECT,
    ],
    ["PHP's empty objects", { inputSchema: { ...OBJECT, properties: [] }, annotations: [] }, OBJECT],
    ["a list of types", { inputSchema: { type: ["object", "null"] } }, OBJECT],
    [
      "null within a schema",
      { inputSchema: { ...OBJECT, properties: { a: { type: "string", default: null } } } },
      { ...OBJECT, properties: { a: { type: "string", default: null } } },
    ],
    ["a hint of another type", { inputSchema: OBJECT, annotations: { readOnlyHint: "yes" } }, OBJECT],
    ["a description that is not text", { inputSchema: OBJECT, description: 7 }, OBJECT],
    ["an output schema of a list", { inputSchema: OBJECT, outputSchema: { type: "array" } }, OBJECT],
  ])("is declared and called: %s", async (_, members, parameters) => {
    verifies("tools:mcp:usual-forms");
    await using server = await startModernServer({
      tools: [{ name: "get", ...members }],
      list: { nextCursor: null },
      call: () => ({ content: [TEXT] }),
    });
    const { model, response } = await createWorld(server);
    expect(await response()).toEqual({ content: [TEXT] });
    expect(model.requests[0]?.functionDeclarations).toMatchObject([{ name: "get", parameters }]);
  });

  it("is not asked for again after a last page with an empty cursor", async () => {
    await using server = await startModernServer({
      tools: [{ name: "get", inputSchema: OBJECT }],
      list: { nextCursor: "", ttlMs: 60_000 },
    });
    const { response } = await createWorld(server);
    await response();
    expect(server.count("tools/list")).toBe(1);
  });
});

describe("a result that its server writes in another form", () => {
  const created = { created: "2026-01-01T10:00:00" };
  const dated = { ...OBJECT, properties: { created: { type: "string", format: "date-time" } } };
  it.each<[string, { readonly outputSchema?: JsonObject; readonly result: JsonObject; readonly expected?: object }]>([
    ["a time without an offset", { outputSchema: dated, result: { content: [], structuredContent: created } }],
    [
      "a time with a short offset",
      { outputSchema: dated, result: { content: [], structuredContent: { created: "2026-01-01T10:00:00+0000" } } },
    ],
    ...["uri", "uuid", "hostname", "email", "date", "time", "ipv4", "duration", "uri-reference"].map(
      (format): [string, { readonly outputSchema: JsonObject; readonly result: JsonObject }] => [
        `a text that is no ${format}`,
        {
          outputSchema: { ...OBJECT, properties: { a: { type: "string", format } } },
          result: { content: [], structuredContent: { a: "a_b c" } },
        },
      ],
    ),
    [
      "overlapping branches",
      {
        outputSchema: { ...OBJECT, oneOf: [{ ...OBJECT }, { ...OBJECT }] },
        result: { content: [], structuredContent: { a: 1 } },
      },
    ],
    [
      "a closed part of a combination",
      {
        outputSchema: {
          allOf: [
            { ...OBJECT, properties: { a: {} }, additionalProperties: false },
            { ...OBJECT, properties: { b: {} } },
          ],
        },
        result: { content: [], structuredContent: { a: 1, b: 2 } },
      },
    ],
    [
      "text alone, with an output schema",
      { outputSchema: { ...OBJECT, required: ["a"] }, result: { content: [TEXT] } },
    ],
    [
      "structured content alone",
      {
        outputSchema: OBJECT,
        result: { structuredContent: { a: 1 } },
        expected: { content: [], structuredContent: { a: 1 } },
      },
    ],
    [
      "null for other members",
      {
        result: { content: [{ ...TEXT, annotations: null }], structuredContent: null, isError: null },
        expected: { content: [TEXT] },
      },
    ],
    [
      "the one member of the protocol's first version",
      {
        result: { toolResult: { a: 1 } },
        expected: { content: [{ type: "text", text: '{"a":1}' }], structuredContent: { a: 1 } },
      },
    ],
    [
      "a list, as its output schema says",
      {
        outputSchema: { type: "array", items: { type: "integer" } },
        result: { content: [TEXT], structuredContent: [1] },
        expected: { content: [TEXT], structuredContent: { result: [1] } },
      },
    ],
    [
      "null as content",
      {
        result: { content: null, structuredContent: { a: null } },
        expected: { content: [], structuredContent: { a: null } },
      },
    ],
    ["a text as content", { result: { content: "done" }, expected: { content: [TEXT] } }],
    ["one block as content", { result: { content: TEXT }, expected: { content: [TEXT] } }],
    [
      "a block of an unknown type",
      {
        result: { content: [{ type: "json", json: { a: 1 } }] },
        expected: { content: [{ type: "text", text: '{"type":"json","json":{"a":1}}' }] },
      },
    ],
    [
      "a text block with a number",
      {
        result: { content: [{ type: "text", text: 5 }] },
        expected: { content: [{ type: "text", text: '{"type":"text","text":5}' }] },
      },
    ],
  ])("is given to the model: %s", async (_, { outputSchema, result, expected = result }) => {
    verifies("tools:mcp:result-schemas", "tools:mcp:usual-forms");
    const definition = { name: "get", inputSchema: OBJECT, ...(outputSchema !== undefined && { outputSchema }) };
    await using server = await startModernServer({ tools: [definition], call: () => result });
    expect(await (await createWorld(server)).response()).toEqual(expected);
  });

  it("shows an image whose type is missing", async () => {
    await using server = await startModernServer({
      tools: [{ name: "get", inputSchema: OBJECT }],
      call: () => ({ content: [{ type: "image", data: "iVBORw0KGgo=", mimeType: null }] }),
    });
    expect(await (await createWorld(server)).response()).toEqual({
      content: [{ type: "image", mimeType: "image/png", displayName: "image-1" }],
    });
  });
});

describe("arguments with null", () => {
  it("are sent without the null of members that are not required and have none", async () => {
    verifies("tools:arguments:as-meant");
    const text = { type: "string" };
    const inputSchema = {
      ...OBJECT,
      properties: {
        needed: text,
        optional: text,
        nullable: { type: ["string", "null"] },
        either: { anyOf: [text, { type: "null" }] },
        any: {},
        referred: { $ref: "#/$defs/maybe" },
        nested: { ...OBJECT, properties: { a: { type: "number" }, b: { type: "number" } } },
        list: { type: "array", items: { ...OBJECT, properties: { a: { type: "number" } } } },
      },
      required: ["needed"],
      $defs: { maybe: { type: "null" } },
    };
    await using server = await startModernServer({
      tools: [{ name: "get", inputSchema }],
      call: () => ({ content: [] }),
    });
    const { response } = await createWorld(server, {
      ...{ needed: null, optional: null, nullable: null, either: null, any: null, referred: null },
      ...{ nested: { a: null, b: 1 }, list: [{ a: null }, { a: 2 }] },
    });
    await response();
    expect(server.received.find(({ method }) => method === "tools/call")?.params["arguments"]).toEqual({
      ...{ needed: null, nullable: null, either: null, any: null, referred: null },
      ...{ nested: { b: 1 }, list: [{}, { a: 2 }] },
    });
  });
});
