import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { ERROR_REASONS } from "#kit/errors/reasons.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

/** Of Gemini's API; other adapters use the same. */
const FINISH_REASONS = ["SAFETY", "MAX_TOKENS", "RECITATION", "MALFORMED_FUNCTION_CALL", "PROHIBITED_CONTENT"];

class OddError extends Error {
  override name = "a name of its own";
}

const helper = (...steps: readonly ScriptedStep[]) => new LlmAgent({ name: "helper", model: new ScriptedModel(steps) });
const fail = (): never => {
  throw new OddError("down");
};

describe("the errorCode of a stored event", () => {
  it.each([
    ["an error of an agent's own code", helper(new OddError("down")), "INTERNAL"],
    ["an error of the language", helper(new TypeError("down")), "INTERNAL"],
    ["an error of ours", helper(new PlatformError("MODEL_RATE_LIMITED", "Slow down.")), "MODEL_RATE_LIMITED"],
    ["a callback", new LlmAgent({ name: "helper", model: "demo/echo", beforeModelCallback: fail }), "CALLBACK_FAILED"],
    ["a stream without an answer", helper([]), "MODEL_RETURNED_NO_CONTENT"],
    ["a refusal of the model", helper({ errorCode: "SAFETY", errorMessage: "No." }), "SAFETY"],
  ])("is a finish reason or a documented reason: %s", async (_source, agent, code) => {
    verifies("event:field:error-code", "errors:reasons");
    const world = await createAgentWorld(agent);
    await world.run("go").catch(() => {});
    const { events } = await world.session();
    expect(events.at(-1)?.errorCode, events.map(brief).join("\n")).toBe(code);
    expect([...FINISH_REASONS, ...Object.keys(ERROR_REASONS)]).toContain(code);
  });
});
