import { expect, it } from "vitest";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ProviderForm } from "./provider-form.ts";
import { type ProviderKind, providerRules } from "./provider-rules.ts";
import { ToolNames } from "./wire-names.ts";

const PROVIDERS: readonly (readonly [ProviderKind, string])[] = [
  ["claude", "claude-opus-5-5"],
  ["gemini", "gemini-3-pro"],
  ["openai", "gpt-5"],
  ["openai-compatible", "qwen"],
  ["openai-compatible", "mistral-large"],
];

const long = fc.string({ minLength: 60, maxLength: 300, unit: fc.constantFrom("a", "b", "_", ".", "/") });
const names = fc.uniqueArray(
  fc.oneof(
    fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }),
    fc.constantFrom("get", "get.x", "get_x", "get-x", "get/x", "1st", "_", "$", "查询", "查天", "n_1st"),
    long,
  ),
  { maxLength: 12 },
);

it.each(PROVIDERS)("names of tools are taken by %s (%s), stay different, and are found again", (kind, model) => {
  verifies("providers:tools:names");
  const { toolName } = providerRules(kind, model);
  fc.assert(
    fc.property(names, names, (declared, history) => {
      const forms = new ToolNames(declared, toolName);
      const all = [...new Set([...declared, ...history])];
      const wire = all.map((name) => forms.toWire(name));
      expect(wire.filter((name) => !toolName.test(name))).toEqual([]);
      expect(new Set(wire).size).toBe(all.length);
      expect(wire.map((name) => forms.fromWire(name))).toEqual(all);
      expect(declared.filter((name) => toolName.test(name) && forms.toWire(name) !== name)).toEqual([]);
    }),
  );
});

const ids = fc.array(
  fc.oneof(
    fc.constantFrom("", "call_1", "call_1", "toolu_01", "adk-1", "0", "chatcmpl-tool:1", "functions.get:0"),
    fc.string({ maxLength: 80, unit: "grapheme" }),
  ),
  { minLength: 1, maxLength: 8 },
);

it.each(PROVIDERS)("ids of calls are taken by %s (%s), unique, and those of their responses", (kind, model) => {
  verifies("providers:calls:ids");
  const rules = providerRules(kind, model);
  fc.assert(
    fc.property(ids, (given) => {
      // As a history has them: each call is answered before the next, also one with the id of an earlier call.
      const contents = given.flatMap((id) => [
        { role: "model", parts: [{ functionCall: { id, name: "get", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { id, name: "get", response: {} } }] },
      ]);
      const request = new LlmRequest({ model, contents: [{ role: "user", parts: [{ text: "go" }] }, ...contents] });
      const parts = new ProviderForm(request, rules).request.contents.flatMap((content) => content.parts ?? []);
      const calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall.id]));
      const answered = parts.flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [functionResponse.id],
      );
      expect(answered).toEqual(calls);
      expect(new Set(calls).size).toBe(given.length);
      expect(calls.filter((id) => !(rules.callId?.taken ?? /^/).test(id ?? ""))).toEqual([]);
    }),
  );
});

it("names of tools are found in the namespaces and marks that models put around them", () => {
  verifies("providers:tools:names");
  const forms = new ToolNames(["look", "functions.own"], providerRules("openai", "gpt-5").toolName);
  const said = ["default_api.look", "default_api:look", "functions.look<|channel|>commentary", " look\n", "tools.look"];
  expect(said.map((name) => forms.fromWire(name))).toEqual(said.map(() => "look"));
  expect([forms.fromWire(forms.toWire("functions.own")), forms.fromWire("functions.other")]).toEqual([
    "functions.own",
    "functions.other",
  ]);
});
