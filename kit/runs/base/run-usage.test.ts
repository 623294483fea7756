import { describe, expect, it } from "vitest";
import { RunUsage } from "./run-usage.ts";

describe("the tokens of a run", () => {
  it("are added up in all and for each model, with the number of its calls", () => {
    const usage = new RunUsage();
    usage.add({ promptTokenCount: 3, totalTokenCount: 5, details: ["x"] }, "small");
    usage.add({ promptTokenCount: 4, totalTokenCount: 4 }, "small");
    usage.add({ totalTokenCount: 2 });
    expect(usage.total()).toEqual({
      promptTokenCount: 7,
      totalTokenCount: 11,
      models: {
        small: { calls: 2, promptTokenCount: 7, totalTokenCount: 9 },
        unknown: { calls: 1, totalTokenCount: 2 },
      },
    });
  });

  it("name 20 models at most, and each by 200 characters", () => {
    const usage = new RunUsage();
    usage.add({}, "m".repeat(300));
    for (let number = 1; number <= 30; number += 1) usage.add({ totalTokenCount: 1 }, `model-${number}`);
    const { models } = usage.total() as { readonly models: Readonly<Record<string, object>> };
    expect(Object.keys(models)).toEqual([
      "m".repeat(200),
      ...Array.from({ length: 19 }, (_, index) => `model-${index + 1}`),
      "unknown",
    ]);
    expect(models["unknown"]).toEqual({ calls: 11, totalTokenCount: 11 });
  });

  it("are counted as calls by the server, whatever members a model's report has", () => {
    const usage = new RunUsage();
    usage.add({ calls: 1000, totalTokenCount: 1 }, "own");
    expect(usage.total()).toMatchObject({ models: { own: { calls: 1, totalTokenCount: 1 } } });
  });
});
