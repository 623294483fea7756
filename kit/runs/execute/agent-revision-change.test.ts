import { describe, expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { agentRevisionChange, isAgentRevisionChange } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BeginRequest } from "#kit/runs/base/runner-options.ts";
import { Runner } from "#kit/runs/runner.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";

const KEY = { appName: "desk", userId: "ada", id: "talk" };

/** An app on two versions over one store: a root with an agent below that may be transferred to. */
async function createWorld() {
  const sources = { clock: new FixedClock(), ids: new SequentialIds() };
  const store = new InMemorySessionStore(sources);
  await store.createSession(KEY);
  const version = (steps: readonly ScriptedStep[]) => {
    const model = new ScriptedModel(steps);
    const approve = new LongRunningFunctionTool({ name: "approve", description: "Asks.", execute: () => undefined });
    const clerk = new LlmAgent({ name: "clerk", description: "Helps.", model, tools: [approve] });
    const agent = new LlmAgent({ name: "desk", model, subAgents: [clerk] });
    const runner = new Runner({ appName: "desk", agent, sessionService: store, ...sources, holder: "one" });
    return {
      model,
      run: async (request: BeginRequest["request"], revisions: Pick<BeginRequest, "agentRevision" | "movesFrom">) => {
        const begun = await runner.beginRun({ session: KEY, request, ...revisions });
        if (begun.kind !== "started") throw new Error(begun.kind);
        await Array.fromAsync(runner.executeRun(begun.run));
        return begun.run.record.invocationId;
      },
    };
  };
  const authors = async () =>
    ((await store.getSession(KEY))?.events ?? []).map((event) =>
      isAgentRevisionChange(event) ? "change" : `${event.author} ${Object.keys(event.content?.parts?.[0] ?? {})}`,
    );
  return { version, authors };
}

describe("a change of the agent revision", () => {
  it("leaves the agent that answers, and is in no prompt", async () => {
    const { version, authors } = await createWorld();
    const one = version([functionCallResponse("transfer_to_agent", { agent_name: "clerk" }), "I am the clerk."]);
    const two = version(["Still the clerk.", "And again."]);
    await one.run({ newMessage: userContent("hi") }, { agentRevision: "one" });
    await two.run({ newMessage: userContent("and?") }, { agentRevision: "two", movesFrom: "one" });
    await two.run({ newMessage: userContent("now?") }, { agentRevision: "two" });
    expect((await authors()).slice(4)).toEqual([
      ...["user text", "change", "clerk text"],
      ...["user text", "clerk text"],
    ]);
    expect(JSON.stringify(two.model.requests.map(({ contents }) => contents))).not.toContain("agentRevision");
  });

  it("keeps an invocation that waits for an answer, and the answer reaches the agent that asked", async () => {
    const { version, authors } = await createWorld();
    const ask = functionCallResponse("approve", {}, "call");
    const one = version([functionCallResponse("transfer_to_agent", { agent_name: "clerk" }), ask]);
    const two = version(["Approved."]);
    const asked = await one.run({ newMessage: userContent("hi") }, { agentRevision: "one" });
    const answer = { functionResponse: { id: "call", name: "approve", response: { ok: true } } };
    const newMessage = { role: "user", parts: [answer] };
    const answered = await two.run({ newMessage }, { agentRevision: "two", movesFrom: "one" });
    expect(answered).toBe(asked);
    expect((await authors()).slice(-3)).toEqual(["user functionResponse", "change", "clerk text"]);
  });

  it("is not what a client calls so, nor an event with content", () => {
    const names = { id: "1", invocationId: "i", author: "desk", timestamp: 0 };
    const change = agentRevisionChange({ from: "one", to: "two" }, names);
    expect(isAgentRevisionChange(change)).toBe(true);
    expect(isAgentRevisionChange({ ...change, author: "user" })).toBe(false);
    expect(isAgentRevisionChange({ ...change, content: userContent("hi") })).toBe(false);
    expect(isAgentRevisionChange({ ...change, customMetadata: ["fairlead:agentRevision"] })).toBe(false);
  });
});
