import { expect, it } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const replaced = () =>
  new LlmAgent({ name: "clerk", model: new ScriptedModel([]), beforeAgentCallback: () => modelContent("instead") });

it("marks a callback's answer as the end of the turn beside the actions, where clients of ADK ignore it", async () => {
  verifies("event-actions:end-of-agent");
  const [event] = await (await createAgentWorld(replaced())).run("go");
  expect([event?.actions.endOfAgent, event?.resumption]).toEqual([undefined, { endOfAgent: true }]);
});

it("marks it among the actions in an app that is resumable", async () => {
  verifies("event-actions:end-of-agent");
  const [event] = await (await createAgentWorld(replaced(), { resumability: { isResumable: true } })).run("go");
  expect([event?.actions.endOfAgent, event?.resumption]).toEqual([true, undefined]);
});
