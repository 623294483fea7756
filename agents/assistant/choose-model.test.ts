import { describe, expect, it } from "vitest";
import { chooseModel } from "./choose-model.ts";

const environment = (values: Record<string, string>) => (name: string) => values[name];

describe("chooseModel", () => {
  it("takes the demo without a key", () => {
    expect(chooseModel(environment({}))).toEqual({ model: "demo/chat", isDemo: true });
  });

  it.each([
    [{ GOOGLE_API_KEY: "k" }, "gemini-3.8-flash"],
    [{ GEMINI_API_KEY: "k" }, "gemini-3.8-flash"],
    [{ ANTHROPIC_API_KEY: "k" }, "claude-haiku-5-5"],
    [{ OPENAI_API_KEY: "k" }, "gpt-6-luna"],
    [{ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" }, "claude-haiku-5-5"],
    [{ OPENAI_API_KEY: "k", ASSISTANT_MODEL: "gpt-6.1-sol" }, "gpt-6.1-sol"],
  ])("with %j takes %s", (values, model) => {
    expect(chooseModel(environment(values))).toEqual({ model, isDemo: false });
  });
});
