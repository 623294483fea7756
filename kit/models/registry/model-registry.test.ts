import { describe, expect, it } from "vitest";
import { ClaudeModel } from "#kit/models/claude/claude.ts";
import { DemoModel } from "#kit/models/demo/demo-model.ts";
import { GeminiModel } from "#kit/models/gemini/gemini.ts";
import { OpenAiCompatibleModel } from "#kit/models/openai/openai-compatible.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { createModelRegistry, ModelRegistry } from "./model-registry.ts";

describe("the kit's model registry", () => {
  it.each([
    ["gemini-3-flash-preview", GeminiModel, "gemini-3-flash-preview"],
    ["models/gemini-2.5-pro", GeminiModel, "gemini-2.5-pro"],
    ["gpt-5-mini", OpenAiCompatibleModel, "gpt-5-mini"],
    ["o1", OpenAiCompatibleModel, "o1"],
    ["o4-mini", OpenAiCompatibleModel, "o4-mini"],
    ["openai/llama-3.3", OpenAiCompatibleModel, "llama-3.3"],
    ["claude-haiku-4-5", ClaudeModel, "claude-haiku-4-5"],
    ["anthropic/claude-opus-5", ClaudeModel, "claude-opus-5"],
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
});
