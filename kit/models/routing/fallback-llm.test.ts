import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { ErrorCategory, ModelError } from "#kit/models/error-mapper.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel, type ScriptedStep, streamedText } from "#kit/testing/scripted-model.ts";
import { ErrorLog } from "#test/helpers/error-log.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { CircuitBreakers } from "./circuit-breaker.ts";
import { FallbackLlm } from "./fallback-llm.ts";

const busy = new ModelError("RATE_LIMITED", "Slow down.");
const { signal } = new AbortController();

const scripted = (model: string, ...steps: readonly ScriptedStep[]) =>
  new ScriptedModel(steps, { model, repeatLast: true });

/** A list with breakers of its own. */
function listOf(models: readonly ScriptedModel[], breakers = new CircuitBreakers()): FallbackLlm {
  return new FallbackLlm(models, { breakers });
}

function ask(model: FallbackLlm, { stream = false, logger = new ErrorLog() } = {}): Promise<LlmResponse[]> {
  const request = new LlmRequest({ model: model.model, contents: [userContent("Hi")], config: { seed: 1 } });
  return Array.fromAsync(model.generateContentAsync(request, { stream, signal, logger }));
}

describe("a list of models", () => {
  it("asks the next model with its own name, and says so in the answer and in the log", async () => {
    verifies("records:model-fallback:reason");
    const [first, second] = [scripted("first", [busy]), scripted("second", "hello")];
    const logger = new ErrorLog();
    const modelChange = { from: "first", to: "second", reason: "RATE_LIMITED", restarted: false };
    expect(await ask(listOf([first, second]), { logger })).toEqual([
      { content: modelContent("hello"), customMetadata: { modelChange } },
    ]);
    expect([first.requests[0]?.model, second.requests[0]]).toMatchObject([
      "first",
      { model: "second", config: { seed: 1 } },
    ]);
    expect(logger.warnings).toEqual(["a model failed: another one is asked"]);
  });

  it("adds nothing to the answer of the first model", async () => {
    expect(await ask(listOf([scripted("first", "hello"), scripted("second", "no")]))).toEqual([
      { content: modelContent("hello") },
    ]);
  });

  it("begins a stream again that broke, and marks the first chunk and the answer of the next model", async () => {
    verifies("records:model-fallback:broken-stream");
    const broken = scripted("first", [{ content: modelContent("I th"), partial: true }, busy]);
    const restarted = { from: "first", to: "second", reason: "RATE_LIMITED", restarted: true };
    const responses = await ask(listOf([broken, scripted("second", streamedText("a", "b"))]), { stream: true });
    expect(responses).toEqual([
      { content: modelContent("I th"), partial: true },
      { content: modelContent("a"), partial: true, customMetadata: { modelChange: restarted } },
      { content: modelContent("b"), partial: true },
      { content: modelContent("ab"), customMetadata: { modelChange: restarted } },
    ]);
  });

  it("throws the last model's failure if all fail", async () => {
    const last = new ModelError("SERVER_ERROR", "Broken.");
    await expect(ask(listOf([scripted("a", [busy]), scripted("b", [last])]))).rejects.toBe(last);
  });

  it.each(Object.values(ErrorCategory))(
    "passes on a request after %s, unless the request is at fault",
    async (category) => {
      verifies("records:model-fallback:failures");
      const second = scripted("second", "hello");
      const list = listOf([scripted("first", [new ModelError(category, "Fails.")]), second]);
      if (category === "CLIENT_ERROR") await expect(ask(list)).rejects.toMatchObject({ category });
      else expect(await ask(list)).toMatchObject([{ content: modelContent("hello") }]);
      expect(second.callCount).toBe(category === "CLIENT_ERROR" ? 0 : 1);
    },
  );

  it.each(["QUOTA_EXCEEDED", "LLM_CALL_LIMIT_EXCEEDED", "MODEL_KEY_MISSING", "PACKAGE_MISSING"] as const)(
    "does not hide %s by another model",
    async (reason) => {
      const second = scripted("second", "hello");
      const list = listOf([scripted("first", [new PlatformError(reason, "No.")]), second]);
      await expect(ask(list)).rejects.toMatchObject({ reason });
      expect(second.callCount).toBe(0);
    },
  );

  it("passes over a model whose breaker is open, and tries it again later", async () => {
    verifies("records:model-fallback:breaker");
    const clock = new FixedClock();
    const breakers = new CircuitBreakers({ failures: 2, openMs: 1000, clock });
    const [first, second] = [scripted("first", [busy], [busy], "back"), scripted("second", "hello")];
    for (let call = 0; call < 4; call += 1) await ask(listOf([first, second], breakers));
    expect([first.callCount, second.callCount]).toEqual([2, 4]);
    clock.advance(1000);
    expect(await ask(listOf([first, second], breakers))).toEqual([{ content: modelContent("back") }]);
  });

  it("tries every model if all breakers are open", async () => {
    const breakers = new CircuitBreakers({ failures: 1 });
    const models = [scripted("first", [busy], "back"), scripted("second", [busy])];
    await expect(ask(listOf(models, breakers))).rejects.toBe(busy);
    expect(await ask(listOf(models, breakers))).toEqual([{ content: modelContent("back") }]);
  });

  it("asks nobody else once the caller has left", async () => {
    const gone = new AbortController();
    const second = scripted("second", "hello");
    const first = scripted("first", () => {
      gone.abort(new Error("left"));
      throw busy;
    });
    const request = new LlmRequest({ model: "first" });
    const answers = listOf([first, second]).generateContentAsync(request, { stream: false, signal: gone.signal });
    await expect(Array.fromAsync(answers)).rejects.toThrow();
    expect(second.callCount).toBe(0);
  });

  it("keeps what the answer of the next model says of itself", async () => {
    const answer = { content: modelContent("hello"), customMetadata: { cached: true } };
    expect(await ask(listOf([scripted("first", [busy]), scripted("second", answer)]))).toEqual([
      { ...answer, customMetadata: { cached: true, modelChange: expect.objectContaining({ to: "second" }) } },
    ]);
  });

  it("does not count a reader that stops as a failure of the model", async () => {
    const breakers = new CircuitBreakers({ failures: 1 });
    const first = scripted("first", streamedText("a", "b"));
    const second = scripted("second", "no");
    for (let reader = 0; reader < 2; reader += 1) {
      const request = new LlmRequest({ model: "first" });
      for await (const _ of listOf([first, second], breakers).generateContentAsync(request, { stream: true, signal }))
        break;
    }
    expect([first.callCount, second.callCount]).toEqual([2, 0]);
  });

  it("checks the settings of every model", () => {
    const unset = Object.assign(scripted("second"), {
      assertConfigured: () => {
        throw new PlatformError("MODEL_KEY_MISSING", "No key.");
      },
    });
    expect(() => listOf([scripted("first"), unset]).assertConfigured()).toThrow("No key.");
  });

  it("asks and connects the models that a run has put in their places, under the same breakers", async () => {
    const breakers = new CircuitBreakers({ failures: 1 });
    const live = [[{ content: modelContent("live") }]];
    const given = ["first", "second"].map((model) => new ScriptedModel([], { model, live }));
    const bounded = new Map([
      ["first", new ScriptedModel([[busy]], { model: "first", live, repeatLast: true })],
      ["second", new ScriptedModel(["hello"], { model: "second", live, repeatLast: true })],
    ]);
    const mapped = new FallbackLlm(given, { breakers }).mapModels(({ model }) => bounded.get(model) ?? given[0]!);
    const request = () => new LlmRequest({ model: "first" });
    for (let call = 0; call < 2; call += 1)
      await Array.fromAsync(mapped.generateContentAsync(request(), { stream: false, signal }));
    const connection = await mapped.connect?.(request(), { config: {}, signal });
    await connection?.close();
    // The breaker of the first one has opened with its first call.
    expect([...bounded.values()].map(({ callCount, connections }) => [callCount, connections.length])).toEqual([
      [1, 1],
      [2, 0],
    ]);
    expect(given.map(({ callCount, connections }) => callCount + connections.length)).toEqual([0, 0]);
  });

  it("combines an output schema and tools only if every model does", () => {
    const able = (isAble: boolean) => new ScriptedModel([], { supportsOutputSchemaWithTools: isAble });
    const both = (second: boolean) => new FallbackLlm([able(true), able(second)]).supportsOutputSchemaWithTools;
    expect([both(true), both(false)]).toEqual([true, false]);
  });

  it("is refused without a model", () => {
    expect(() => new FallbackLlm([])).toThrow("new FallbackLlm: models is empty.");
  });
});
