import { describe, expect, it } from "vitest";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { textOf } from "#kit/events/content.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import { CircuitBreakers } from "#kit/models/routing/circuit-breaker.ts";
import { FallbackLlm } from "#kit/models/routing/fallback-llm.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { ErrorLog } from "#test/helpers/error-log.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { LlmAgent } from "./llm-agent.ts";

const busy = new ModelError("RATE_LIMITED", "Slow down.");
const scripted = (model: string, ...steps: readonly ScriptedStep[]) =>
  new ScriptedModel(steps, { model, repeatLast: true });

describe("an agent with fallback models", () => {
  it("answers with the next model, stores the change with the event, and makes each call of a tool once", async () => {
    verifies("records:model-fallback:reason");
    let calls = 0;
    const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => `seen ${++calls}` });
    const call = functionCallResponse("look", {}, "c1");
    // The stream of the first model breaks behind its call of the tool.
    const model = scripted("first", [{ ...call, partial: true }, busy], "done");
    const second = scripted("second", functionCallResponse("look"));
    const world = await createAgentWorld(
      new LlmAgent({ name: "helper", model, fallbackModels: [second], tools: [look] }),
    );
    await world.run("go", { streamingMode: StreamingMode.SSE });
    const { events } = await world.session();
    expect(events.map(({ customMetadata, content }) => [customMetadata, textOf(content)])).toEqual([
      [undefined, "go"],
      [{ modelChange: { from: "first", to: "second", reason: "RATE_LIMITED", restarted: true } }, ""],
      [undefined, ""],
      [undefined, "done"],
    ]);
    expect([calls, model.callCount, second.callCount]).toEqual([1, 2, 1]);
  });

  it("counts each call in the run's budget, under its own name, and in maxLlmCalls", async () => {
    verifies("records:model-fallback:failures");
    const reserved: string[] = [];
    const reserve = async ({ model }: { readonly model: string }) => {
      reserved.push(model);
      return { settle: () => undefined };
    };
    const agent = new LlmAgent({
      name: "helper",
      model: scripted("first", [busy]),
      fallbackModels: [scripted("second", [busy]), scripted("third", "hello")],
    });
    const world = await createAgentWorld(agent, { modelBudget: { ofRun: () => ({ reserve }) } });
    expect((await world.run("go", { maxLlmCalls: 3 })).map(({ content }) => textOf(content))).toEqual(["hello"]);
    expect(reserved).toEqual(["first", "second", "third"]);
    await expect(world.run("go", { maxLlmCalls: 2 })).rejects.toMatchObject({ reason: "LLM_CALL_LIMIT_EXCEEDED" });
  });

  it("is what a sub-agent without a model has too", async () => {
    const child = new LlmAgent({ name: "child" });
    const model = new FallbackLlm([scripted("first", [busy]), scripted("second", "hello")], {
      breakers: new CircuitBreakers(),
    });
    const root = new LlmAgent({ name: "root", model, subAgents: [child] });
    expect(root.resolveModel()).toBe(child.resolveModel());
    const two = new LlmAgent({ name: "two", model: "demo/chat", fallbackModels: ["demo/weather"], subAgents: [] });
    expect(two.resolveModel()).toBe(two.resolveModel());
    expect(two.resolveModel()).toBeInstanceOf(FallbackLlm);
  });

  it.each([
    [{ fallbackModels: ["demo/chat"] }, "fallbackModels need a model on the same agent"],
    [{ model: "demo/chat", fallbackModels: "demo/chat" }, "fallbackModels must be a list of models"],
    [{ model: "demo/chat", fallbackModels: [1] }, "fallbackModels must be a list of models"],
  ])("refuses %j", (options, problem) => {
    // As plain JavaScript may call it.
    expect(() => new LlmAgent({ name: "helper", ...options } as never)).toThrow(problem);
  });
});

it("is reported when it is loaded if one of its models is shut down, with the successor", async () => {
  verifies("platform:model-names");
  const logger = new ErrorLog();
  const child = new LlmAgent({ name: "child", model: "claude-opus-4-20250514" });
  const root = new LlmAgent({ name: "root", model: "demo/chat", fallbackModels: ["gpt-4o-mini"], subAgents: [child] });
  await createAgentWorld(root, { logger });
  expect(logger.warnings).toEqual([
    "The model gpt-4o-mini is shut down on 2027-01-14: use gpt-6-luna.",
    expect.stringMatching(/^The model claude-opus-4-20250514 (is|was) shut down on 2026-06-15: use claude-opus-5-5\.$/),
  ]);
});
