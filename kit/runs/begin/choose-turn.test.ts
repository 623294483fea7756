import { describe, expect, it } from "vitest";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { createApp } from "#kit/core/app.ts";
import { toolBranch } from "#kit/events/branch.ts";
import { type Content, modelContent, type Part, userContent } from "#kit/events/content.ts";
import { createEvent, type Event, type EventInput } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import { Runner } from "#kit/runs/runner.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { recordEvents } from "#test/helpers/record-events.ts";
import { chooseTurn, continuesInvocation, storedEvents, storedMessage } from "./choose-turn.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

const clerk = new LlmAgent({ name: "clerk" });
const step = new LlmAgent({ name: "step" });
const inner = new SequentialAgent({ name: "inner", subAgents: [step] });
const outer = new SequentialAgent({ name: "outer", subAgents: [inner] });
const root = new LlmAgent({ name: "root", subAgents: [clerk, outer] });

const event = (id: string, author: string, rest: Partial<EventInput> = {}): Event =>
  createEvent({ id, invocationId: "i", author, timestamp: 0, ...rest });
const says = (id: string, author: string, rest: Partial<EventInput> = {}): Event =>
  event(id, author, { content: author === "user" ? userContent(id) : modelContent(id), ...rest });
const withParts = (role: string, ...parts: readonly Part[]): { readonly content: Content } => ({
  content: { role, parts },
});
const asks = (id: string, author: string, rest: Partial<EventInput> = {}): Event =>
  event(id, author, { ...withParts("model", { functionCall: { id: "c", name: "ask", args: {} } }), ...rest });
const answerPart: Part = { functionResponse: { id: "c", name: "ask", response: {} } };
const answer = event("answer", "user", withParts("user", answerPart));
const summary = event("summary", "user", {
  actions: createEventActions({
    compaction: { compactedContent: modelContent("told"), startTimestamp: 0, endTimestamp: 0 },
  }),
});

async function startWorld(events: readonly Event[]) {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  await store.createSession(KEY);
  await recordEvents(store, KEY, events);
  const app = createApp({ name: "app", rootAgent: root });
  const runner = new Runner({ app, sessionService: store, journal: store, clock, ids, leaseMs: 1000 });
  const begin = async (request: RunRequest = { invocationId: "i" }): Promise<StartedRun> => {
    const outcome = await runner.beginRun({ session: KEY, runId: "run", invocationId: "i", request });
    if (outcome.kind !== "started") throw new Error(`The run is ${outcome.kind}.`);
    return outcome.run;
  };
  /** The lease runs out, and the run is begun again. */
  const recover = (request?: RunRequest): Promise<StartedRun> => {
    clock.advance(10_000);
    return begin(request);
  };
  return { store, begin, recover };
}

const idsOf = (events: readonly Event[] | undefined) => events?.map(({ id }) => id);

describe("a run", () => {
  it("goes to the agent that spoke last, without a past, when it begins a turn", async () => {
    const { begin } = await startWorld([says("a", "user"), says("b", "clerk")]);
    const turn = chooseTurn(await begin({ newMessage: userContent("hi") }));
    expect([turn.agent.name, Object.keys(turn)]).toEqual(["clerk", ["agent"]]);
  });

  it("resumes an invocation as the agent with which it began, with what belongs to the turn", async () => {
    const { begin } = await startWorld([
      says("earlier", "clerk"),
      says("before", "user", { invocationId: "h" }),
      says("opening", "user"),
      says("one", "root"),
      asks("asks", "step"),
      says("within", "step", { branch: toolBranch(undefined, "step", "t") }),
      summary,
      says("other", "clerk", { invocationId: "j" }),
      answer,
    ]);
    const turn = chooseTurn(await begin());
    expect([turn.agent.name, turn.branch]).toEqual(["clerk", undefined]);
    expect(idsOf(turn.past?.events)).toEqual(["one", "asks", "answer"]);
    expect(turn.past?.events.some((past) => turn.past?.isInterrupted(past))).toBe(false);
  });

  it.each([
    ["the agent that asked", asks("asks", "clerk"), "clerk", undefined],
    ["the agent that asked, on its branch", asks("asks", "clerk", { branch: "b" }), "clerk", "b"],
    ["the outermost workflow around it", asks("asks", "step", { branch: "b" }), "outer", undefined],
  ])("whose beginning is not in the session goes to %s", async (_name, call, agentName, branch) => {
    const { begin } = await startWorld([says("other", "user", { invocationId: "h" }), call, answer]);
    const turn = chooseTurn(await begin());
    expect([turn.agent.name, turn.branch, idsOf(turn.past?.events)]).toEqual([agentName, branch, ["asks", "answer"]]);
  });

  it("goes to the agent that spoke last when neither a beginning nor a call is in the session", async () => {
    const { begin } = await startWorld([says("b", "clerk", { invocationId: "h" }), answer]);
    const turn = chooseTurn(await begin());
    expect([turn.agent.name, Object.keys(turn)]).toEqual(["clerk", ["agent"]]);
  });
});

describe("what a run has stored before it was recovered", () => {
  it("is what came of its invocation since it began", async () => {
    const { store, begin, recover } = await startWorld([says("earlier", "user")]);
    const first = await begin();
    expect([storedEvents(first), storedMessage(first)]).toEqual([[], undefined]);
    for (const stored of [summary, says("message", "user"), says("reply", "clerk")]) {
      await first.writer.add(stored, { emit: true });
    }
    await first.writer.flush();
    const session = await store.getSession(KEY);
    if (session === undefined) throw new Error("the session is gone");
    await store.appendEvent(session, says("outside", "clerk", { invocationId: "j" }));
    const second = await recover();
    expect(idsOf(storedEvents(second))).toEqual(["summary", "message", "reply"]);
    expect(storedMessage(second)?.id).toBe("message");
    const turn = chooseTurn(second);
    expect(turn.past?.events.map((past) => [past.id, turn.past?.isInterrupted(past)])).toEqual([["reply", true]]);
  });

  it("is nothing when it was lost immediately, and the run begins its turn", async () => {
    const { begin, recover } = await startWorld([says("earlier", "clerk", { invocationId: "h" })]);
    await begin({});
    const second = await recover({});
    expect([storedEvents(second), second.record.attempts]).toEqual([[], 2]);
  });
});

describe("an invocation", () => {
  it.each<[boolean, RunRequest]>([
    [true, { invocationId: "i" }],
    [true, { newMessage: { parts: [{ text: "yes" }, answerPart] } }],
    [false, { newMessage: userContent("hi") }],
    [false, { newMessage: {} }],
    [false, {}],
  ])("is resumed (%s) by the request %j", (resumes, request) => {
    expect(continuesInvocation(request)).toBe(resumes);
  });
});
