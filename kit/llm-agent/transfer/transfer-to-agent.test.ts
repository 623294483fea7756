import { describe, expect, it } from "vitest";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { MAX_TRANSFERS } from "#kit/core/context/invocation-costs.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { transferTargets } from "./transfer-targets.ts";
import { transferTarget } from "./transfer-to-agent.ts";

const handOver = (to: string) => functionCallResponse("transfer_to_agent", { agent_name: to });

function targetsOf(options: Partial<LlmAgentOptions>): readonly string[] {
  const child = new LlmAgent({ name: "child", subAgents: [new LlmAgent({ name: "grandchild" })], ...options });
  const peer = new LlmAgent({ name: "peer" });
  new LlmAgent({ name: "parent", subAgents: [child, peer] });
  return transferTargets(child).map(({ name }) => name);
}

describe("a handover", () => {
  it("goes down, to the parent and to peers, the latter two as far as they are allowed", () => {
    expect(targetsOf({})).toEqual(["grandchild", "parent", "peer"]);
    expect(targetsOf({ disallowTransferToParent: true })).toEqual(["grandchild", "peer"]);
    expect(targetsOf({ disallowTransferToPeers: true })).toEqual(["grandchild", "parent"]);
    expect(targetsOf({ disallowTransferToParent: true, disallowTransferToPeers: true })).toEqual(["grandchild"]);
  });

  it("is refused to any agent but those", () => {
    const [one, two] = ["one", "two"].map((name) => new LlmAgent({ name }));
    const root = new LlmAgent({ name: "root", subAgents: one && two ? [one, two] : [] });
    expect(transferTarget(root, "two")).toBe(two);
    expect(() => transferTarget(root, "three")).toThrow(expect.objectContaining({ reason: "AGENT_NOT_FOUND" }));
  });

  it("does not leave an agent that runs its sub-agents by its own rules", () => {
    const step = new LlmAgent({ name: "step", subAgents: [new LlmAgent({ name: "below" })] });
    const row = new SequentialAgent({ name: "row", subAgents: [step, new LlmAgent({ name: "next" })] });
    expect(row.subAgents.length).toBe(2);
    expect(transferTargets(step).map(({ name }) => name)).toEqual(["below"]);
  });

  it("reaches an agent of any kind, which does its work and ends the turn", async () => {
    const speaker = (name: string): LlmAgent => new LlmAgent({ name, model: new ScriptedModel([name]) });
    const row = new SequentialAgent({ name: "row", subAgents: [speaker("a"), speaker("b")] });
    const root = new LlmAgent({ name: "root", model: new ScriptedModel([handOver("row")]), subAgents: [row] });
    const events = await (await createAgentWorld(root)).run("go");
    expect(events.slice(2).map(brief)).toEqual(["a: a", "b: b"]);
  });

  it("is refused after so many that the agents may be passing the question in a circle", async () => {
    const left = new LlmAgent({ name: "left", model: new ScriptedModel([handOver("right")], { repeatLast: true }) });
    const right = new LlmAgent({ name: "right", model: new ScriptedModel([handOver("left")], { repeatLast: true }) });
    const root = new LlmAgent({ name: "root", model: new ScriptedModel([handOver("left")]), subAgents: [left, right] });
    const world = await createAgentWorld(root);
    await expect(world.run("go", { maxLlmCalls: 0 })).rejects.toMatchObject({
      details: { reason: "TRANSFER_LIMIT_EXCEEDED" },
    });
    const { events } = await world.session();
    expect(events.filter(({ actions }) => actions.transferToAgent !== undefined)).toHaveLength(MAX_TRANSFERS + 1);
    expect(events.at(-1)).toMatchObject({ errorCode: "TRANSFER_LIMIT_EXCEEDED" });
  });
});
