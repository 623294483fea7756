import { describe, expect, it } from "vitest";
import type { Content, Part } from "#kit/events/content.ts";
import { type GenerateContentConfig, LlmRequest } from "#kit/models/llm-request.ts";
import { namedSettings } from "#kit/models/refused-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ProviderForm } from "./provider-form.ts";
import { type ProviderKind, providerRules } from "./provider-rules.ts";

const FAMILIES: readonly (readonly [ProviderKind, string])[] = [
  ["gemini", "gemini-3.8-flash"],
  ["claude", "claude-opus-5-5"],
  ["openai-compatible", "deepseek-reasoner"],
];
const PAIRS = FAMILIES.flatMap((from) => FAMILIES.map((to) => [...from, ...to] as const));
const PLACEHOLDER = "skip_thought_signature_validator";

interface Tool {
  readonly name: string;
  readonly parameters?: JsonObject;
}

function form(
  [kind, model]: readonly [ProviderKind, string],
  contents: readonly Content[],
  { tools = [], config = {} }: { readonly tools?: readonly Tool[]; readonly config?: GenerateContentConfig } = {},
): ProviderForm {
  const request = new LlmRequest({ model, contents: [...contents], config });
  for (const { name, parameters } of tools)
    request.appendTools({ name, getDeclaration: () => ({ name, ...(parameters !== undefined && { parameters }) }) });
  return new ProviderForm(request, providerRules(kind, model));
}

const user = (...parts: Part[]): Content => ({ role: "user", parts });
const response = (id: string): Part => ({ functionResponse: { id, name: "look", response: { found: true } } });

/** What the family's model has said in a round of tools, as it is stored. */
function answered(family: readonly [ProviderKind, string]): Content {
  const thought = { text: "I look.", thought: true, thoughtSignature: "thought-signature" };
  const call = { functionCall: { id: "c1", name: "look", args: {} }, thoughtSignature: "call-signature" };
  const { content } = form(family, [user({ text: "go" })]).restore({
    content: { role: "model", parts: [thought, call] },
  });
  return content ?? expect.unreachable("the answer has content");
}

describe.each(PAIRS)("a round of tools that %s (%s) began", (fromKind, fromModel, toKind, toModel) => {
  const isSame = fromKind === toKind;

  it.each([false, true])(`is continued by ${toKind}, in the round or after it (%s)`, (isOver) => {
    verifies("providers:thoughts:own-model", "providers:thoughts:placeholder");
    const later = isOver ? [{ role: "model", parts: [{ text: "Found." }] }, user({ text: "and now?" })] : [];
    const history = [user({ text: "go" }), answered([fromKind, fromModel]), user(response("c1")), ...later];
    const sent = form([toKind, toModel], history).request.contents[1]?.parts ?? [];
    const signatures = sent.flatMap(({ thoughtSignature }) => thoughtSignature ?? []);
    expect(sent.filter(({ thought }) => thought === true)).toHaveLength(isSame ? 1 : 0);
    const placeholders = toKind === "gemini" ? [PLACEHOLDER] : [];
    expect(signatures).toEqual(isSame ? ["thought-signature", "call-signature"] : placeholders);
    expect(sent.find(({ functionCall }) => functionCall !== undefined)?.functionCall?.name).toBe("look");
  });
});

describe("signatures of Gemini's models", () => {
  const kinds: readonly (readonly [ProviderKind, string])[] = [
    ["gemini", "gemini-3.8-flash"],
    ["gemini", "gemini-2.5-pro"],
    ["vertex", "gemini-3.8-flash"],
    ["openai-compatible", "google/gemini-3.8-flash"],
  ];
  const pairs = kinds.flatMap((from) => kinds.map((to) => [...from, ...to] as const));

  it.each(pairs)("of %s (%s) go to %s (%s) only if both are of one API and generation", (...names) => {
    verifies("providers:thoughts:own-model", "providers:thoughts:placeholder");
    const [fromKind, fromModel, toKind, toModel] = names;
    const history = [user({ text: "go" }), answered([fromKind, fromModel]), user(response("c1"))];
    const sent = form([toKind, toModel], history).request.contents[1]?.parts ?? [];
    const signatures = sent.flatMap(({ thoughtSignature }) => thoughtSignature ?? []);
    const isSame = fromKind === toKind && fromModel === toModel;
    const placeholders = toModel === "gemini-2.5-pro" ? [] : [PLACEHOLDER];
    expect(signatures).toEqual(isSame ? ["thought-signature", "call-signature"] : placeholders);
  });

  it("are there for images that another model has made", () => {
    verifies("providers:thoughts:placeholder");
    const image = { inlineData: { mimeType: "image/png", data: "aGk=" } };
    const history = [
      user({ text: "draw" }),
      { role: "model", parts: [{ text: "Here." }, image] },
      user({ text: "on" }),
    ];
    const [, drawn] = form(["gemini", "gemini-3-pro-image"], history).request.contents;
    expect(drawn?.parts).toEqual([{ text: "Here." }, { ...image, thoughtSignature: PLACEHOLDER }]);
  });
});

describe("requests", () => {
  it("drop thoughts that no model is known for", () => {
    verifies("providers:thoughts:own-model");
    const unknown = { text: "hm", thought: true, thoughtSignature: "s" };
    const history = [user({ text: "go" }), { role: "model", parts: [unknown, { text: "Hi." }] }, user({ text: "on" })];
    for (const family of FAMILIES)
      expect(form(family, history).request.contents[1]?.parts).toEqual([expect.objectContaining({ text: "Hi." })]);
  });

  it("leave thinking off at Claude in a round that another model began", () => {
    verifies("providers:thoughts:claude-tool-round");
    const config = { thinkingConfig: { thinkingBudget: 2000 } };
    const claude = FAMILIES[1] ?? expect.unreachable();
    const configOf = (begun: Content): GenerateContentConfig =>
      form(claude, [user({ text: "go" }), begun, user(response("c1"))], { config }).request.config;
    expect(configOf(answered(claude))).toEqual(config);
    expect(configOf(answered(FAMILIES[0] ?? claude))).toEqual({});
  });

  it.each(FAMILIES)("of %s (%s) begin and end with the user and have no empty part", (...family) => {
    verifies("providers:conversation:user-first-and-last");
    const said = { role: "model", parts: [{ text: "" }, { text: "Hello." }, { videoMetadata: {} }] };
    for (const history of [[], [said], [user({ text: " " }), said, user({ text: "" })]]) {
      const { contents } = form(family, history).request;
      expect([contents[0]?.role, contents.at(-1)?.role]).toEqual(["user", "user"]);
      expect(contents.flatMap(({ parts = [] }) => parts).filter(({ text }) => (text ?? "").trim() === "")).toEqual([]);
    }
  });

  it.each(FAMILIES)("to %s (%s) have files that it takes, texts, and notes in the place of others", (...family) => {
    verifies("providers:files:taken-or-noted");
    const file = (mimeType: string, text: string): Part => ({
      inlineData: { mimeType, data: Buffer.from(text).toString("base64"), displayName: "f" },
    });
    const odd = ["application/csv", "application/x-yaml", "image/svg+xml", "application/ld+json; charset=utf-8"];
    const types = [...odd, "image/png", "application/x-unknown", "audio/x-rare"];
    const [message] = form(family, [user(...types.map((type) => file(type, `<${type}>`)))]).request.contents;
    const sent = message?.parts ?? [];
    for (const [index, type] of odd.entries())
      if (sent[index]?.inlineData === undefined) expect(sent[index]?.text).toBe(`<${type}>`);
    expect(sent[4]?.inlineData?.mimeType).toBe("image/png");
    expect(sent[5]?.text).toMatch(/^\[A file is not shown here, .* f, of type application\/x-unknown/);
    expect(sent).toHaveLength(types.length);
  });

  it.each(FAMILIES)("to %s (%s) have names of tools that it takes, and find the tools again", (...family) => {
    verifies("providers:tools:names");
    const long = "prefix_of_a_server_".repeat(4);
    const names = [`${long}one`, `${long}two`, "a b", "a_b", "ünicode", "9lives", "ok"];
    const wire = form(family, [], { tools: names.map((name) => ({ name })) });
    const sent = wire.request.functionDeclarations.map(({ name }) => name);
    expect(new Set(sent).size).toBe(names.length);
    expect(sent.filter((name) => !/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$|^9lives$/.test(name))).toEqual([]);
    const parts = sent.map((name) => ({ functionCall: { id: name, name, args: {} } }));
    const restored = wire.restore({ content: { role: "model", parts } });
    expect(restored.content?.parts?.map(({ functionCall }) => functionCall?.name)).toEqual(names);
    const again = form(family, [user({ text: "x" }), { role: "model", parts: restored.content?.parts ?? [] }], {
      tools: names.map((name) => ({ name })),
    });
    const history = again.request.contents[1]?.parts ?? [];
    expect(history.map(({ functionCall }) => functionCall?.name)).toEqual(sent);
  });

  it("fail before they are sent if Claude takes only one of two settings, which the error names", () => {
    verifies("providers:settings:named");
    const config = { thinkingConfig: { thinkingBudget: 2000 }, toolConfig: { functionCallingConfig: { mode: "ANY" } } };
    const claude = FAMILIES[1] ?? expect.unreachable();
    expect(() => form(claude, [], { config })).toThrow(/thinkingConfig with a budget or a toolConfig with mode ANY/);
    expect(
      namedSettings({ temperature: 1, topP: 0.5, seed: 1 }, "`temperature` and `top_p` cannot both be set"),
    ).toEqual([...["temperature", "topP"]]);
  });

  it("describe output schemas that Claude cannot be held to", () => {
    verifies("providers:output:described");
    const claude = FAMILIES[1] ?? expect.unreachable();
    const schemaOf = (responseSchema: JsonObject) => form(claude, [], { config: { responseSchema } }).request;
    const open = schemaOf({ type: "object", properties: { any: {} } });
    expect(open.config.responseSchema).toBeUndefined();
    expect(open.systemInstruction).toContain('"any"');
    const closed = schemaOf({
      ...{ type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
    });
    expect(closed.config.responseSchema).toBeDefined();
  });
});

describe("arguments whose properties are renamed", () => {
  const NAMES = ["$top", "filter[id]", "a b", "ok", "ä", "top", "x.y"];
  const value = fc.letrec<{ object: JsonObject; item: JsonObject[string] }>((tie) => ({
    object: fc.dictionary(fc.constantFrom(...NAMES), tie("item"), { maxKeys: 4, noNullPrototype: true }),
    item: fc.oneof(
      { depthSize: "small" },
      fc.integer(),
      fc.string(),
      tie("object"),
      fc.array(tie("object"), { maxLength: 2 }),
    ),
  })).object;

  it.each(FAMILIES)("come back from %s (%s) as the tool declares them, at every depth", (...family) => {
    verifies("providers:tools:properties");
    fc.assert(
      fc.property(value, (args) => {
        const wire = form(
          family,
          [user({ text: "x" }), { role: "model", parts: [{ functionCall: { id: "c", name: "f", args } }] }],
          {
            tools: [{ name: "f", parameters: schemaOf(args) }],
          },
        );
        const sent = wire.request.contents[1]?.parts?.[0]?.functionCall?.args ?? {};
        const parts = [{ functionCall: { id: "c", name: "f", args: sent } }];
        const back = wire.restore({ content: { role: "model", parts } }).content?.parts?.[0]?.functionCall?.args;
        expect(back).toEqual(args);
      }),
    );
  });
});

/** The schema that declares each member of the value. */
function schemaOf(value: JsonObject[string]): JsonObject {
  if (Array.isArray(value)) return { type: "array", items: { anyOf: value.map(schemaOf) } };
  if (typeof value === "number") return { type: "integer" };
  if (typeof value !== "object" || value === null) return { type: "string" };
  const properties = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, schemaOf(member ?? "")]));
  return { type: "object", properties };
}

it.each(["claude", "openai"] as const)("%s takes a list of nested entries as a member of an object", (kind) => {
  const entry: JsonObject = {
    type: "object",
    properties: { name: { type: "string" } },
    required: ["name"],
    additionalProperties: false,
  };
  const responseSchema = { type: "array", items: { $ref: "#/$defs/entry" }, $defs: { entry } };
  const wire = form([kind, "m"], [user({ text: "go" })], { config: { responseSchema } });
  const { properties, ...root } = wire.request.config.responseSchema ?? {};
  expect(root).toMatchObject({ type: "object", required: ["value"], additionalProperties: false });
  // Definitions stay at the root, where references look for them.
  expect(properties).toEqual({ value: expect.not.objectContaining({ $defs: expect.anything() }) });
  const answer = { content: { role: "model", parts: [{ text: '{"value":[{"name":"a"}]}' }] } };
  expect(wire.restore(answer).content?.parts).toEqual([{ text: '[{"name":"a"}]' }]);
});
