import { describe, expect, it } from "vitest";
import { chooseModel } from "./choose-model.ts";

const environment = (values: Record<string, string>) => (name: string) => values[name];

describe("chooseModel", () => {
  it("takes the demo without a key", () => {
    expect(chooseModel(environment({}))).toEqual({ model: "demo/chat", isDemo: true });
  });

  it.each([
    [{ GOOGLE_API_KEY: "k" }, "gemini-2.5-flash"],
    [{ GEMINI_API_KEY: "k" }, "gemini-2.5-flash"],
    [{ ANTHROPIC_API_KEY: "k" }, "claude-haiku-4-5"],
    [{ OPENAI_API_KEY: "k" }, "gpt-5-mini"],
    [{ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" }, "claude-haiku-4-5"],
    [{ OPENAI_API_KEY: "k", ASSISTANT_MODEL: "gpt-5" }, "gpt-5"],
  ])("with %j takes %s", (values, model) => {
    expect(chooseModel(environment(values))).toEqual({ model, isDemo: false });
  });
});
