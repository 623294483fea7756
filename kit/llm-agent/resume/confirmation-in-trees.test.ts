import { describe, expect, it } from "vitest";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import type { Content } from "#kit/events/content.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

function clerk(name: string, steps: readonly ScriptedStep[] = [functionCallResponse("pay"), `${name} paid`]): LlmAgent {
  const pay = new FunctionTool({ name: "pay", description: "Pays.", requireConfirmation: true, execute: () => name });
  return new LlmAgent({ name, model: new ScriptedModel(steps), tools: [pay] });
}

/** Yes to all that was asked, in one message. */
function yes(events: readonly Event[]): Content {
  const asked = events.flatMap(functionCalls).filter(({ name }) => name === "adk_request_confirmation");
  const parts = asked.map(({ id = "", name = "" }) => ({
    functionResponse: { id, name, response: { confirmed: true } },
  }));
  return { role: "user", parts };
}

describe("a confirmation that an agent of a tree asks for", () => {
  it("goes to that agent, and what follows in a sequence follows then", async () => {
    const last = new LlmAgent({ name: "last", model: new ScriptedModel(["the end"]) });
    const world = await createAgentWorld(new SequentialAgent({ name: "all", subAgents: [clerk("first"), last] }));
    const asked = await world.run("go");
    expect(asked.map(({ author }) => author)).toEqual(["first", "first", "first"]);
    expect((await world.run(yes(asked))).map(brief)).toEqual([
      'first: pay -> {"result":"first"}',
      "first: first paid",
      "last: the end",
    ]);
  });

  it("goes to each of several waiting agents", async () => {
    const root = new ParallelAgent({ name: "both", subAgents: [clerk("left"), clerk("right")] });
    const world = await createAgentWorld(root);
    const asked = await world.run("go");
    const said = (await world.run(yes(asked))).map(brief);
    expect(said.toSorted()).toEqual([
      "left: left paid",
      'left: pay -> {"result":"left"}',
      'right: pay -> {"result":"right"}',
      "right: right paid",
    ]);
  });

  it("goes to the sub-agent that was handed the conversation", async () => {
    const model = new ScriptedModel([functionCallResponse("transfer_to_agent", { agent_name: "desk" })]);
    const root = new LlmAgent({ name: "root", model, subAgents: [clerk("desk")] });
    const world = await createAgentWorld(root);
    const asked = await world.run("go");
    expect((await world.run(yes(asked))).map(brief)).toEqual(['desk: pay -> {"result":"desk"}', "desk: desk paid"]);
  });

  it("is asked again where the call that was confirmed asks for more", async () => {
    const twice = new FunctionTool({
      name: "pay",
      description: "Pays.",
      execute: (_args, context) => {
        const agreed = context.toolConfirmation?.hint === "really";
        if (!agreed) context.requestConfirmation({ hint: "Really?" });
        return agreed ? "paid" : "asked";
      },
    });
    const model = new ScriptedModel([functionCallResponse("pay"), "done"]);
    const world = await createAgentWorld(new LlmAgent({ name: "clerk", model, tools: [twice] }));
    const first = await world.run("go");
    const second = await world.run(yes(first));
    expect(second.map(brief)[0]).toBe('clerk: pay -> {"result":"asked"}');
    const [part] = yes(second).parts ?? [];
    const functionResponse = { ...part?.functionResponse, response: { confirmed: true, hint: "really" } };
    const events = await world.run({ role: "user", parts: [{ functionResponse }] });
    expect(events.map(brief)).toEqual(['clerk: pay -> {"result":"paid"}', "clerk: done"]);
  });
});
