import { describe, expect, it } from "vitest";
import { Claude } from "#kit/models/claude/claude.ts";
import { DemoModel } from "#kit/models/demo/demo-model.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { MODEL_NAMES } from "./model-names.ts";
import { createModelRegistry, ModelRegistry } from "./model-registry.ts";

describe("the kit's model registry", () => {
  it.each([
    ["gemini-3-flash-preview", Gemini, "gemini-3-flash-preview"],
    ["models/gemini-2.5-pro", Gemini, "gemini-2.5-pro"],
    ["gpt-5-mini", OpenAiCompatible, "gpt-5-mini"],
    ["o1", OpenAiCompatible, "o1"],
    ["o4-mini", OpenAiCompatible, "o4-mini"],
    ["openai/llama-3.3", OpenAiCompatible, "llama-3.3"],
    ["claude-haiku-4-5", Claude, "claude-haiku-4-5"],
    ["anthropic/claude-opus-5", Claude, "claude-opus-5"],
    ["demo/weather", DemoModel, "demo/weather"],
  ])("finds the model of %s", (name, kind, model) => {
    const found = createModelRegistry().resolve(name);
    expect([found.constructor, found.model]).toEqual([kind, model]);
  });

  it.each(["", "gemini", "demo/", "openai/", "o2d2", "my-gpt-5", "llama-3"])(
    "has no model for %j, and lists the known patterns",
    (name) => {
      expect(() => createModelRegistry().resolve(name)).toThrow(
        expect.objectContaining({ reason: "MODEL_NOT_FOUND", message: expect.stringContaining("gemini-") }),
      );
    },
  );
});

it.each([
  [Claude, "ANTHROPIC_API_KEY"],
  [Gemini, "GOOGLE_API_KEY"],
  [OpenAiCompatible, "OPENAI_API_KEY"],
])("%o says which key it needs before its first call", (Model, variable) => {
  const configured = (keys: Readonly<Record<string, string>>) =>
    new Model({ model: "m", credentials: (name) => keys[name] }).assertConfigured();
  expect(() => configured({})).toThrow(
    expect.objectContaining({ reason: "MODEL_KEY_MISSING", message: expect.stringContaining(variable) }),
  );
  expect(() => configured({ [variable]: "key" })).not.toThrow();
});

it("finds live models by the names of their providers", () => {
  const registry = createModelRegistry();
  for (const name of [MODEL_NAMES.geminiLive, MODEL_NAMES.openAiLive, `openai/${MODEL_NAMES.openAiLive}`])
    expect(registry.resolve(name).connect).toBeTypeOf("function");
  expect(registry.resolve(MODEL_NAMES.openAi).connect).toBeUndefined();
});

describe("ModelRegistry", () => {
  it("uses the newest of several matching patterns", () => {
    const registry = new ModelRegistry()
      .register(/^a/, () => new ScriptedModel([], { model: "older" }))
      .register(/^ab/, () => new ScriptedModel([], { model: "newer" }));
    expect([registry.resolve("abc").model, registry.resolve("ac").model]).toEqual(["newer", "older"]);
  });

  it("creates one instance per name", () => {
    const registry = new ModelRegistry().register(/./g, (model) => new ScriptedModel([], { model }));
    expect([registry.resolve("a") === registry.resolve("a"), registry.resolve("a") === registry.resolve("b")]).toEqual([
      true,
      false,
    ]);
  });

  it("creates a new instance after a registration", () => {
    const registry = new ModelRegistry().register(/./, () => new ScriptedModel([], { model: "older" }));
    registry.resolve("a");
    registry.register(/a/, () => new ScriptedModel([], { model: "newer" }));
    expect(registry.resolve("a").model).toBe("newer");
  });

  it("finds a model object under its name alone, and models under a prefix by the rest of the name", () => {
    verifies("authentication:model:registered");
    const house = new ScriptedModel([], { model: "house" });
    const registry = new ModelRegistry()
      .register("house-model", house)
      .register("local/", (model) => new ScriptedModel([], { model }));
    expect([registry.resolve("house-model"), registry.resolve("local/llama/3").model]).toEqual([house, "llama/3"]);
    for (const name of ["house-model-2", "my-house-model", "local/", "local", "my-local/x"])
      expect(() => registry.resolve(name)).toThrow(
        /^No model is registered for ".+"(?:\.|: did you mean "house-model"\?) Examples of names: local\/…, house-model\.$/,
      );
  });

  it("answers an unknown name with the nearest one and examples, not with regular expressions", () => {
    verifies("authentication:model:registered");
    expect(() => createModelRegistry().resolve("gemni-3.8-flash")).toThrow(
      `No model is registered for "gemni-3.8-flash": did you mean "${MODEL_NAMES.gemini}"? Examples of names: ${MODEL_NAMES.gemini}, ${MODEL_NAMES.openAi}, openai-responses/…, ${MODEL_NAMES.claude}, demo/chat, gemini/…, `,
    );
    const own = new ModelRegistry().register(/^in-house-./, house).register(/^lab-./, house, "lab-1");
    expect(() => own.resolve("none")).toThrow('No model is registered for "none". Examples of names: lab-1.');
  });

  it.each([
    ["", house(), "names"],
    ["/", house(), "names"],
    [7, house(), "names"],
    ["house", {}, "model"],
    ["house", "gemini-2.5-flash", "model"],
    ["house", undefined, "model"],
  ])("refuses to register %j: %o", (names, model, field) => {
    const register = () => Reflect.apply(ModelRegistry.prototype.register, new ModelRegistry(), [names, model]);
    expect(register).toThrow(expect.objectContaining({ reason: "INVALID_FIELD", details: { field } }));
  });
});

function house(): ScriptedModel {
  return new ScriptedModel([], { model: "house" });
}
