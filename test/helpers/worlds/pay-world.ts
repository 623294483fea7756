import { z } from "zod";
import type { Content, FunctionCall, Part } from "#kit/events/content.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool, type FunctionToolOptions } from "#kit/tools/function-tool.ts";
import { createAgentWorld } from "./agent-world.ts";

/** A model response that calls the tool `pay`. */
export const pay = functionCallResponse("pay", { amount: 900, to: "Ada" }, "call-1");
const parameters = z.object({ amount: z.number(), to: z.string() });
interface Options {
  readonly tool?: Partial<FunctionToolOptions<typeof parameters>>;
  readonly agent?: Partial<LlmAgentOptions>;
}

/** An agent whose tool `pay` needs a confirmation, and the payments that the tool has made. */
export async function createPayWorld(steps: readonly ScriptedStep[], { tool, agent }: Options = {}) {
  const paid: unknown[] = [];
  const model = new ScriptedModel(steps);
  const payTool = new FunctionTool({
    name: "pay",
    description: "Pays.",
    parameters,
    requireConfirmation: true,
    execute: ({ amount }, { toolConfirmation }) => {
      paid.push({ amount, toolConfirmation });
      return { paid: amount };
    },
    ...tool,
  });
  const world = await createAgentWorld(new LlmAgent({ name: "clerk", model, tools: [payTool], ...agent }));
  return { world, model, paid };
}

/** The last confirmation that the events request. */
export function question(events: readonly Event[]): FunctionCall {
  const call = events.flatMap(functionCalls).findLast(({ name }) => name === "adk_request_confirmation");
  if (call === undefined) throw new Error("no confirmation was requested");
  return call;
}

export function answer(call: FunctionCall, response: JsonObject, name = "adk_request_confirmation"): Content {
  const functionResponse = { ...(call.id !== undefined && { id: call.id }), name, response };
  return { role: "user", parts: [{ functionResponse }] };
}

export function responsesOf(event: Event | undefined): readonly unknown[] {
  return event?.content?.parts?.map(({ functionResponse }: Part) => functionResponse?.response) ?? [];
}

/** The response of a call that waits for its confirmation. */
export const WAITS = { error: "This call has not run: it waits for the user to confirm or reject it." };
