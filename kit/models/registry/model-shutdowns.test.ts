import { describe, expect, it } from "vitest";
import { Claude } from "#kit/models/claude/claude.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { FallbackLlm } from "#kit/models/routing/fallback-llm.ts";
import { fromIsoTime } from "#kit/platform/iso-time.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { MODEL_NAMES } from "./model-names.ts";
import { MODEL_SHUTDOWNS, SHUTDOWNS_READ, shutdownWarnings } from "./model-shutdowns.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const timeOf = (date: string): number => fromIsoTime(date) ?? Number.NaN;
const apiKey = "key";

describe("the list of announced shutdowns", () => {
  it("has dates, providers that are known by name, and a successor that does not end", () => {
    expect(MODEL_SHUTDOWNS.length).toBeGreaterThan(10);
    const ending = new Set(MODEL_SHUTDOWNS.map(({ model }) => model));
    for (const { model, provider, shutdown, successor } of MODEL_SHUTDOWNS) {
      expect([timeOf(shutdown) > 0, ending.has(successor)], model).toEqual([true, false]);
      expect(["anthropic", "gcp.gemini", "openai"]).toContain(provider);
    }
  });

  it("has no name of this project that ends within 60 days", () => {
    verifies("platform:model-names");
    const soon = timeOf(SHUTDOWNS_READ) + 60 * DAY_MS;
    const names = new Set<string>(Object.values(MODEL_NAMES));
    expect(MODEL_SHUTDOWNS.filter(({ model, shutdown }) => names.has(model) && timeOf(shutdown) <= soon)).toEqual([]);
  });
});

describe("a warning about a model", () => {
  it.each([
    [
      new Gemini({ model: "gemini-2.5-pro", apiKey }),
      "The model gemini-2.5-pro is shut down on 2026-12-01: use gemini-3.8-flash.",
    ],
    [
      new OpenAiCompatible({ model: "gpt-5-2025-08-07", apiKey, credentials: () => undefined }),
      "The model gpt-5-2025-08-07 is shut down on 2026-12-11: use gpt-6.1-sol.",
    ],
    [
      new Claude({ model: "claude-opus-4-20250514", apiKey }),
      "The model claude-opus-4-20250514 was shut down on 2026-06-15: use claude-opus-5-5.",
    ],
  ])("names its date and its successor: $model", (model, warning) => {
    expect(shutdownWarnings([model, model], timeOf("2026-11-29"))).toEqual([warning]);
  });

  it("is about the provider that shuts it down only", () => {
    const vertex = new Gemini({ model: "gemini-2.5-pro", vertexAi: { project: "p" } });
    const local = new OpenAiCompatible({ model: "gpt-5", baseUrl: "http://127.0.0.1:1/v1" });
    const newest = new Gemini({ model: MODEL_NAMES.gemini, apiKey });
    expect(shutdownWarnings([vertex, local, newest], 0)).toEqual([]);
  });

  it("is about every model that one asks", () => {
    const list = new FallbackLlm([
      new Gemini({ model: MODEL_NAMES.gemini, apiKey }),
      new Gemini({ model: "gemini-2.5-flash", apiKey }),
    ]);
    expect(shutdownWarnings([list], 0)).toHaveLength(1);
  });
});
