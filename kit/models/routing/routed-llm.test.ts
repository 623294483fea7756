import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type LlmRouter, RoutedLlm } from "./routed-llm.ts";

const { signal } = new AbortController();
const busy = new ModelError("RATE_LIMITED", "Slow down.");
const scripted = (model: string, ...steps: readonly ScriptedStep[]) => new ScriptedModel(steps, { model });

function ask(model: RoutedLlm, text = "Hi"): Promise<LlmResponse[]> {
  const request = new LlmRequest({ model: model.model, contents: [userContent(text)] });
  return Array.fromAsync(model.generateContentAsync(request, { stream: false, signal: new AbortController().signal }));
}

describe("a router", () => {
  it("chooses the model for each request, by its key", async () => {
    verifies("records:model-fallback:router");
    const models = { small: scripted("tiny-1", "short"), large: scripted("huge-1", "long") };
    const router: LlmRouter = (given, { contents }) => {
      expect(Object.keys(given)).toEqual(["small", "large"]);
      return (contents[0]?.parts?.[0]?.text ?? "").length < 5 ? "small" : "large";
    };
    const model = new RoutedLlm({ models, router });
    expect(model.model).toBe("RoutedLlm[small, large]");
    expect([await ask(model), await ask(model, "a long question")]).toEqual([
      [{ content: modelContent("short") }],
      [{ content: modelContent("long") }],
    ]);
    expect([models.small.requests[0]?.model, models.large.requests[0]?.model]).toEqual(["tiny-1", "huge-1"]);
  });

  it("is asked again with what failed, until it names a model that has failed already", async () => {
    const seen: unknown[] = [];
    const router = (keys: readonly (string | undefined)[]): LlmRouter => {
      let call = 0;
      return async (_models, _request, context) => {
        seen.push(context && [[...context.failedKeys], context.lastError]);
        call += 1;
        return keys[call - 1];
      };
    };
    const models = () => [scripted("a", [busy]), scripted("b", [busy]), scripted("c", "hello")];
    const change = { from: "b", to: "c", reason: "RATE_LIMITED", restarted: false };
    expect(await ask(new RoutedLlm({ models: models(), router: router(["a", "b", "c"]) }))).toEqual([
      { content: modelContent("hello"), customMetadata: { modelChange: change } },
    ]);
    expect(seen).toEqual([undefined, [["a"], busy], [["a", "b"], busy]]);
    for (const last of ["a", undefined, "nobody"])
      await expect(ask(new RoutedLlm({ models: models(), router: router(["a", last]) }))).rejects.toBe(busy);
  });

  it("has to choose one of the models", async () => {
    const model = new RoutedLlm({ models: [scripted("a", "x")], router: () => "b", modelName: "house" });
    await expect(ask(model)).rejects.toMatchObject({
      reason: "MODEL_NOT_FOUND",
      message: 'The router chose "b", and the models are a.',
    });
  });

  it.each(["toString", "__proto__", undefined])("chooses none by %s", async (key) => {
    const model = new RoutedLlm({ models: [scripted("a", "x")], router: () => key });
    await expect(ask(model)).rejects.toMatchObject({ reason: "MODEL_NOT_FOUND" });
  });

  it("connects the chosen model under its own name, if that has a live form", async () => {
    const speaks = new ScriptedModel([], { model: "speaks-1", live: [[{ content: modelContent("live") }]] });
    const models = { speaks, writes: scripted("writes-1", "x") };
    const connect = (key: string) =>
      new RoutedLlm({ models, router: () => key }).connect?.(new LlmRequest({ model: "any" }), { config: {}, signal });
    await (await connect("speaks"))?.close();
    expect(speaks.connections.map(({ request }) => request.model)).toEqual(["speaks-1"]);
    await expect(connect("writes")).rejects.toMatchObject({ reason: "LIVE_NOT_SUPPORTED" });
    expect(new RoutedLlm({ models: [models.writes], router: () => "writes-1" }).connect).toBeUndefined();
  });

  it("chooses among the models that a run has put in their places", async () => {
    const live = [[{ content: modelContent("live") }]];
    const given = new ScriptedModel([], { model: "a", live });
    const bounded = new ScriptedModel(["hello"], { model: "a", live });
    const mapped = new RoutedLlm({ models: [given], router: () => "a" }).mapModels(() => bounded);
    const request = new LlmRequest({ model: mapped.model });
    await Array.fromAsync(mapped.generateContentAsync(request, { stream: false, signal }));
    await (await mapped.connect?.(request, { config: {}, signal }))?.close();
    expect([bounded.callCount, bounded.connections.length, given.callCount, given.connections.length]).toEqual([
      1, 1, 0, 0,
    ]);
  });

  it.each([
    [{ models: [] }, "models must have at least one model"],
    [{ models: [scripted("a"), scripted("a")] }, "models has two models of one name"],
    [{ models: [scripted("a")], router: "a" }, "router must be a function"],
  ])("refuses %j", (options, problem) => {
    // As plain JavaScript may call it.
    const create = () => new RoutedLlm({ router: () => "a", ...options } as never);
    expect(create).toThrow(`new RoutedLlm: ${problem}`);
  });
});
