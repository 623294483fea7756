import { describe, expect, it } from "vitest";
import type { EventsCompactionConfig } from "#kit/compaction/events-compaction-config.ts";
import { createApp } from "#kit/core/app.ts";
import { type Content, modelContent, userContent } from "#kit/events/content.ts";
import { createEvent, type Event, functionCalls } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import { CONFIRMATION_CALL } from "#kit/events/reserved-calls.ts";
import { findHistoryStart } from "#kit/history/find-history-start.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import type { BeginRunRequest, BeginRunResult } from "#kit/sessions/run-journal.ts";
import type { ConcurrencyPolicy, RunRequest } from "#kit/sessions/run-record.ts";
import type { ListEventRecordsResponse, ListEventsRequest } from "#kit/sessions/session-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { DEFAULT_SESSION_LIMITS } from "#ports/sessions/session-limits.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

const EVERY_TWO: EventsCompactionConfig = {
  compactionInterval: 2,
  overlapSize: 0,
  summarizer: { summarizeEvents: async ({ events }) => ({ content: modelContent(`${events.length} told`) }) },
};

/** Counts the events of their sessions that runs get. */
class CountingStore extends InMemorySessionStore {
  #given = 0;

  override async begin(request: BeginRunRequest): Promise<BeginRunResult> {
    const result = await super.begin(request);
    if (result.kind === "started") this.#given += result.snapshot.events.length;
    return result;
  }

  override async listEventRecords(request: ListEventsRequest): Promise<ListEventRecordsResponse> {
    const answer = await super.listEventRecords(request);
    this.#given += answer.events.length;
    return answer;
  }

  /** The events since the last look. */
  takeGiven(): number {
    const given = this.#given;
    this.#given = 0;
    return given;
  }
}

const pay = new FunctionTool({
  name: "pay",
  description: "Pays.",
  requireConfirmation: true,
  execute: (_args, context) => context.state.set("paid", Number(context.state.get("paid") ?? 0) + 1),
});

/** A session that several runners serve, each of which begins without having read anything of it. */
async function startTalk(eventsCompaction: EventsCompactionConfig, events: readonly Event[] = []) {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const limits = { ...DEFAULT_SESSION_LIMITS, maxImportedEvents: 10_000 };
  const store = new CountingStore({ clock, ids, limits });
  await store.createSession({ ...KEY, events });
  const createRunner = (steps: readonly ScriptedStep[]) => {
    const model = new ScriptedModel(steps);
    const helper = new LlmAgent({ name: "helper", model, tools: [pay] });
    const root = new LlmAgent({ name: "desk", model, subAgents: [helper] });
    const app = createApp({ name: "app", rootAgent: root, eventsCompaction });
    const runner = new Runner({ app, sessionService: store, journal: store, clock, ids });
    return {
      say: async (message: string | Content): Promise<Event[]> => {
        const newMessage = typeof message === "string" ? userContent(message) : message;
        return Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: "talk", newMessage }));
      },
      rewind: (rewindBeforeInvocationId: string) =>
        runner.rewind({ userId: "ada", sessionId: "talk", rewindBeforeInvocationId }),
      resume: async (runId: string, request: RunRequest, policy: ConcurrencyPolicy = "enqueue"): Promise<void> => {
        const begun = await runner.beginRun({ session: KEY, request, runId, policy });
        if (begun.kind === "started") await Array.fromAsync(runner.executeRun(begun.run));
      },
      prompts: () => model.requests.map(({ contents }) => contents),
    };
  };
  return { store, createRunner };
}

const CUT_RUN = {
  runId: "cut",
  session: KEY,
  invocationId: "cut",
  policy: "enqueue",
  holder: "gone",
  leaseMs: 1,
  haveRevision: 0,
} as const;
const CALL: Content = { role: "model", parts: [{ functionCall: { id: "c", name: "look", args: {} } }] };
const RESPONSE: Content = { role: "user", parts: [{ functionResponse: { id: "c", name: "look", response: {} } }] };

function cutEvent(author: string, content: Content): Event {
  return createEvent({ id: `cut ${JSON.stringify(content)}`, invocationId: "cut", timestamp: 50, author, content });
}

/** A user's turn and its answer, as another runner has stored them. */
function turn(number: number): Event[] {
  const common = { invocationId: `turn ${number}`, timestamp: number };
  return [
    createEvent({ ...common, id: `q${number}`, author: "user", content: userContent(`question ${number}`) }),
    createEvent({ ...common, id: `a${number}`, author: "helper", content: modelContent(`answer ${number}`) }),
  ];
}

const turns = (count: number): Event[] => Array.from({ length: count }, (_, index) => turn(index + 1)).flat();

function summary(invocationId: string, endSequence: number, keptSequences: readonly number[] = []): Event {
  const compaction = {
    compactedContent: modelContent(`told up to ${endSequence}`),
    startTimestamp: 1,
    endTimestamp: 2,
    startSequence: 1,
    endSequence,
    keptSequences,
  };
  const actions = createEventActions({ compaction });
  return createEvent({ id: "summary", invocationId, author: "user", timestamp: 3, actions });
}

const OFF: EventsCompactionConfig = { ...EVERY_TWO, compactionInterval: 1_000_000 };

function answerTo(events: readonly Event[]): Content {
  const id = events.flatMap(functionCalls).find(({ name }) => name === CONFIRMATION_CALL)?.id;
  const response = { confirmed: true };
  return {
    role: "user",
    parts: [{ functionResponse: { ...(id !== undefined && { id }), name: CONFIRMATION_CALL, response } }],
  };
}

describe("a cold run", () => {
  it("is given of 5000 events what the summary leaves, and sends the prompt of a runner that holds them all", async () => {
    const { store, createRunner } = await startTalk(OFF, [...turns(2500), summary("earlier", 4950)]);
    const warm = createRunner(["one", "two"]);
    await warm.say("first");
    // The store had no bound for the imported events, so the run read all of them and stored a bound.
    expect(store.takeGiven()).toBe(5001);
    const cold = createRunner(["two"]);
    await cold.say("second");
    // 50 events after the range, the summary, and the first run's two.
    expect(store.takeGiven()).toBe(53);
    const whole = (await store.getSession(KEY))?.events ?? [];
    expect(whole).toHaveLength(5005);
    const { createRunner: createOther, store: other } = await startTalk(OFF, whole.slice(0, 5003));
    const full = createOther(["two"]);
    await full.say("second");
    expect([other.takeGiven(), cold.prompts()]).toEqual([5003, full.prompts()]);
    expect(cold.prompts()[0]).toHaveLength(54);
  });

  it("goes to the agent that spoke last and sends the prompt of the runner that made the summary", async () => {
    const { store, createRunner } = await startTalk(EVERY_TWO);
    const transfer = functionCallResponse("transfer_to_agent", { agent_name: "helper" });
    const warm = createRunner([transfer, "A", "B", "C"]);
    for (const word of ["a", "b"]) await warm.say(word);
    store.takeGiven();
    const cold = createRunner(["C"]);
    const [answer] = await cold.say("c");
    // The summary, the newest question, and the newest event of each of the two agents, now and before the question.
    expect([answer?.author, store.takeGiven()]).toEqual(["helper", 5]);
    expect(cold.prompts()[0]?.map(({ parts }) => parts?.at(-1)?.text)).toEqual(["6 told", "c"]);
  });

  it("summarizes as a runner that holds all events does", async () => {
    const asked: (readonly string[])[] = [];
    const eventsCompaction: EventsCompactionConfig = {
      ...EVERY_TWO,
      overlapSize: 1,
      summarizer: {
        summarizeEvents: async ({ previous, overlap, events }) => {
          const texts = [previous, overlap, events].map((all) =>
            all.map((one) => ("content" in one ? one.content : one)).map((content) => JSON.stringify(content)),
          );
          asked.push(texts.flat());
          return { content: modelContent(`summary ${texts.flat().length}`) };
        },
      },
    };
    const answers = ["A", "B", "C", "D"];
    const talk = await startTalk(eventsCompaction);
    const warm = talk.createRunner(answers);
    for (const word of ["a", "b", "c", "d"]) await warm.say(word);
    const told = asked.splice(0);
    const again = await startTalk(eventsCompaction);
    for (const [index, word] of ["a", "b", "c", "d"].entries())
      await again.createRunner(answers.slice(index)).say(word);
    expect([told.length, asked]).toEqual([2, told]);
  });

  it("takes the user's consent to a call that was summarized past, once, and reads no more than its turn for it", async () => {
    const { store, createRunner } = await startTalk(EVERY_TWO, turns(100));
    const transfer = functionCallResponse("transfer_to_agent", { agent_name: "helper" });
    const question = await createRunner([transfer, functionCallResponse("pay")]).say("pay");
    for (const word of ["b", "c", "d"]) await createRunner([word]).say(word);
    expect(
      (await store.getSession(KEY))?.events.filter(({ actions }) => actions.compaction !== undefined),
    ).toHaveLength(2);
    store.takeGiven();
    const yes = answerTo(question);
    const [paid] = await createRunner(["paid"]).say(yes);
    expect([paid?.content?.parts?.[0]?.functionResponse?.name, (await store.getSession(KEY))?.state]).toEqual([
      "pay",
      { paid: 1 },
    ]);
    // The search for the call, the run's beginning, and the turn that the call is of: none of the hundred turns before
    // it.
    expect(store.takeGiven()).toBeLessThan(40);
    await expect(createRunner(["no"]).say(yes)).rejects.toMatchObject({
      message: expect.stringContaining("answered before"),
    });
    expect((await store.getSession(KEY))?.state).toEqual({ paid: 1 });
  });

  it("continues a run whose turn a summary has cut, as a runner that holds all events does", async () => {
    const resumed = async (fromHistoryStart: boolean) => {
      const { store, createRunner } = await startTalk(OFF, turns(10));
      const request = { newMessage: userContent("go") };
      const begun = await store.begin({ ...CUT_RUN, request, fromHistoryStart });
      if (begun.kind !== "started") throw new Error("The run did not start.");
      const own = [cutEvent("user", request.newMessage), ...[CALL, RESPONSE].map((part) => cutEvent("helper", part))];
      const events = [...own, summary("cut", 23, [21])];
      const historyStart = findHistoryStart({ events: [...turns(10), ...events], firstSequence: 1 });
      const write = { lease: begun.lease, leaseMs: 1, afterRevision: 20, events: events.map(toEventRecord) };
      await store.append({ ...write, ...(fromHistoryStart && { historyStart }) });
      await store.release(begun.lease);
      store.takeGiven();
      const runner = createRunner(["done"]);
      await runner.resume("cut", request);
      return { given: store.takeGiven(), prompts: runner.prompts(), events: (await store.getSession(KEY))?.events };
    };
    const { given, ...cold } = await resumed(true);
    const { given: all, ...full } = await resumed(false);
    expect([cold, all]).toEqual([full, 24]);
    // The events of the turn, and the helper's newest event before it; the turn's own are read twice at most.
    expect(given).toBeLessThan(9);
    expect(cold.events).toHaveLength(25);
  });
});

describe("a rewind of a session whose history was summarized", () => {
  it("moves the history start back to before a summary that it takes back", async () => {
    const { store, createRunner } = await startTalk(EVERY_TWO, turns(1));
    await createRunner(["B"]).say("b");
    await createRunner(["C"]).say("c");
    const [d] = await createRunner(["D"]).say("d");
    await createRunner(["E"]).say("e");
    await createRunner([]).rewind(d?.invocationId ?? "");
    store.takeGiven();
    const cold = createRunner(["F"]);
    await cold.say("f");
    expect(store.takeGiven()).toBeLessThan(8);
    expect(cold.prompts()[0]?.map(({ parts }) => parts?.at(-1)?.text)).toEqual(["4 told", "c", "C", "f"]);
    await createRunner([]).rewind("turn 1");
    const empty = createRunner(["G"]);
    await empty.say("g");
    expect(empty.prompts()[0]).toEqual([userContent("g")]);
  });

  it("keeps the history start of a summary from before the run that a rollback takes back", async () => {
    const { store, createRunner } = await startTalk(OFF, [...turns(10), summary("earlier", 20)]);
    await createRunner(["one"]).say("first");
    const cut = { ...CUT_RUN, fromHistoryStart: true };
    const begun = await store.begin({ ...cut, request: { newMessage: userContent("no") } });
    if (begun.kind !== "started") throw new Error("The run did not start.");
    const { lease } = begun;
    const request = { newMessage: userContent("yes") };
    const cold = createRunner(["two"]);
    await cold.resume("new", request, "rollback");
    const events = [toEventRecord(cutEvent("user", userContent("no")))];
    await store.finish({ lease, afterRevision: 23, events, status: "cancelled" });
    await cold.resume("new", request, "rollback");
    const texts = ["told up to 20", "first", "one", "yes"];
    expect(cold.prompts().map((prompt) => prompt.map(({ parts }) => parts?.at(-1)?.text))).toEqual([texts]);
    store.takeGiven();
    const next = createRunner(["three"]);
    await next.say("third");
    expect(next.prompts()[0]?.map(({ parts }) => parts?.at(-1)?.text)).toEqual([...texts, "two", "third"]);
    expect(store.takeGiven()).toBeLessThan(12);
  });

  it("reaches a runner that holds less of the session than was taken back", async () => {
    const { createRunner } = await startTalk(EVERY_TWO, turns(3));
    await createRunner(["B"]).say("b");
    const held = createRunner(["C", "D"]);
    await held.say("c");
    await createRunner([]).rewind("turn 2");
    await held.say("d");
    expect(held.prompts()[1]?.map(({ parts }) => parts?.at(-1)?.text)).toEqual(["question 1", "answer 1", "d"]);
  });
});
