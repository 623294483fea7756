import { describe, expect, it } from "vitest";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import type { EventSummarizer, SummaryRequest } from "#kit/compaction/event-summarizer.ts";
import { type Content, modelContent, textOf, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { EventCompaction } from "#kit/events/event-actions.ts";
import { IncludeContents } from "#kit/llm-agent/base/include-contents.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { type LogFields, silentLogger } from "#kit/platform/logger.ts";
import { Runner } from "#kit/runs/runner.ts";
import type { Session } from "#kit/sessions/session.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

/** Summarizes by joining texts, and records its requests. */
class JoiningSummarizer implements EventSummarizer {
  readonly requests: SummaryRequest[] = [];

  async summarizeEvents(request: SummaryRequest): Promise<{ content: Content }> {
    this.requests.push(request);
    const told = [...request.previous, ...request.events.map(({ content }) => content)];
    return { content: modelContent(told.map((content) => textOf(content) || "·").join(" ")) };
  }
}

const answerOf = (text: string, promptTokenCount: number): LlmResponse => ({
  content: modelContent(text),
  usageMetadata: { promptTokenCount },
});

const compactionsOf = ({ events }: Session): readonly EventCompaction[] =>
  events.flatMap(({ actions }) => actions.compaction ?? []);

const linesOf = (contents: readonly Content[] | undefined): readonly string[] =>
  (contents ?? []).map(
    ({ parts = [] }) =>
      textOf({ parts }) ||
      parts
        .map(({ functionCall, functionResponse }) => `${functionCall?.id ?? ""}${functionResponse?.id ?? ""}`)
        .join(" "),
  );

const LEAD = "Summary of the conversation so far, in place of its older messages:";

describe("the sliding window", () => {
  const config = (summarizer: EventSummarizer) => ({ compactionInterval: 3, overlapSize: 1, summarizer });

  it("summarizes every so many invocations after the run, and takes the earlier summary in", async () => {
    verifies(
      "configuration:compaction:summarizer",
      "configuration:compaction:two-further-integers",
      "configuration:compaction:interval",
      "limits:compaction",
    );
    const summarizer = new JoiningSummarizer();
    const model = new ScriptedModel(["A", "B", "C", "D", "E", "F", "G"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
      eventsCompaction: config(summarizer),
    });
    for (const word of ["a", "b", "c", "d", "e", "f", "g"]) await world.run(word);
    const [first, second, ...more] = compactionsOf(await world.session());
    expect(more).toEqual([]);
    expect(first).toMatchObject({ startSequence: 1, endSequence: 6, compactedContent: modelContent("a A b B c C") });
    expect(second).toMatchObject({
      startSequence: 1,
      endSequence: 13,
      compactedContent: modelContent("a A b B c C d D e E f F"),
    });
    expect(summarizer.requests[1]?.overlap.map(({ content }) => textOf(content))).toEqual(["c", "C"]);
    expect(linesOf(model.requests[3]?.contents)).toEqual([`${LEAD}a A b B c C`, "d"]);
    expect(linesOf(model.requests[6]?.contents)).toEqual([`${LEAD}a A b B c C d D e E f F`, "g"]);
  });

  it("leaves the newest events as they are when a number of events to keep is given", async () => {
    verifies("configuration:compaction:event-retention-size");
    const model = new ScriptedModel(["A", "B", "C", "D"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
      eventsCompaction: {
        compactionInterval: 2,
        overlapSize: 0,
        eventRetentionSize: 2,
        summarizer: new JoiningSummarizer(),
      },
    });
    for (const word of ["a", "b", "c", "d"]) await world.run(word);
    expect(linesOf(model.requests[3]?.contents)).toEqual([`${LEAD}a A b B`, "c", "C", "d"]);
  });

  it("is not shown to the run's clients, who have the answer before the summary is made", async () => {
    const seen: string[] = [];
    const summarizer: EventSummarizer = {
      summarizeEvents: async () => {
        seen.push("summary");
        return { content: modelContent("short") };
      },
    };
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model: new ScriptedModel(["A"]) }), {
      eventsCompaction: { compactionInterval: 1, overlapSize: 0, summarizer },
    });
    const run = world.runner.runAsync({
      userId: "ada",
      sessionId: "talk",
      newMessage: { role: "user", parts: [{ text: "a" }] },
    });
    for await (const event of run) seen.push(brief(event));
    expect(seen).toEqual(["helper: A", "summary"]);
    expect((await world.session()).events.map(({ actions }) => actions.compaction !== undefined)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("is shown to plugins like any event before it is stored", async () => {
    const shown: Event[] = [];
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model: new ScriptedModel(["A"]) }), {
      eventsCompaction: { compactionInterval: 1, overlapSize: 0, summarizer: new JoiningSummarizer() },
      plugins: [{ name: "watch", onEventCallback: (_context, event) => void shown.push(event) }],
    });
    await world.run("a");
    expect(shown.map(({ actions }) => actions.compaction?.endSequence)).toEqual([undefined, 2]);
  });

  it("uses the model of the agent when no summarizer is given, and counts its tokens with the run", async () => {
    const model = new ScriptedModel([
      { content: modelContent("Paris."), usageMetadata: { totalTokenCount: 5 } },
      { content: modelContent("They spoke of Paris."), usageMetadata: { totalTokenCount: 7 } },
    ]);
    const tree = new SequentialAgent({ name: "row", subAgents: [new LlmAgent({ name: "helper", model })] });
    const world = await createAgentWorld(tree, { eventsCompaction: { compactionInterval: 1, overlapSize: 0 } });
    await world.run("The capital of France?");
    expect(compactionsOf(await world.session())[0]?.compactedContent).toEqual(modelContent("They spoke of Paris."));
    const [asked] = model.requests[1]?.contents ?? [];
    expect(textOf(asked)).toBe("## What happened since\nuser: The capital of France?\nhelper: Paris.");
    const { runs } = await world.store.list({});
    expect(runs[0]?.usage).toEqual({ totalTokenCount: 12, models: { unknown: { calls: 2, totalTokenCount: 12 } } });
  });

  it.each<[string, EventSummarizer]>([
    ["throws", { summarizeEvents: async () => Promise.reject(new Error("no memory")) }],
    [
      "throws at once",
      {
        summarizeEvents: () => {
          throw new Error("no memory");
        },
      },
    ],
    ["has nothing to say", { summarizeEvents: async () => undefined }],
  ])("never fails the run when its summarizer %s", async (_, summarizer) => {
    const warnings: LogFields[] = [];
    const model = new ScriptedModel(["A", "B"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
      eventsCompaction: { compactionInterval: 1, overlapSize: 0, summarizer },
      logger: { ...silentLogger, warn: (fields) => warnings.push(fields) },
    });
    expect((await world.run("a")).map(brief)).toEqual(["helper: A"]);
    await world.run("b");
    expect(linesOf(model.requests[1]?.contents)).toEqual(["a", "A", "b"]);
    expect(warnings.length).toBe(_ === "has nothing to say" ? 0 : 2);
    expect((await world.store.list({})).runs.map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  });

  it("never fails the run of an agent that has no model", async () => {
    const warnings: LogFields[] = [];
    const quiet = new LlmAgent({ name: "quiet", beforeAgentCallback: () => modelContent("A") });
    const world = await createAgentWorld(quiet, {
      eventsCompaction: { compactionInterval: 1, overlapSize: 0 },
      logger: { ...silentLogger, warn: (fields) => warnings.push(fields) },
    });
    expect((await world.run("a")).map(brief)).toEqual(["quiet: A"]);
    expect(warnings).toEqual([{ error: expect.objectContaining({ reason: "MODEL_NOT_FOUND" }), sessionId: "talk" }]);
  });

  it("leaves a conversation as it is when something was stored from outside during the run", async () => {
    const summarizer = new JoiningSummarizer();
    const patch = async (): Promise<string> => {
      const session = await world.session();
      await world.store.appendEvent(session, {
        id: "outside",
        invocationId: "outside",
        author: "user",
        timestamp: 0,
        actions: { stateDelta: { k: 1 }, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
      });
      return "A";
    };
    const model = new ScriptedModel([patch, "B"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
      eventsCompaction: { compactionInterval: 1, overlapSize: 0, summarizer },
    });
    await world.run("a");
    expect(summarizer.requests).toEqual([]);
    await world.run("b");
    expect(compactionsOf(await world.session())).toMatchObject([{ startSequence: 1, endSequence: 5 }]);
  });
});

describe("the token threshold", () => {
  const long = "x".repeat(400);

  it("summarizes before the call whose prompt would be too long, and keeps the newest events", async () => {
    verifies("configuration:compaction:two-further-integers", "limits:compaction");
    const summarizer = new JoiningSummarizer();
    const model = new ScriptedModel([answerOf("A", 40), answerOf("B", 120), answerOf("C", 30)]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
      eventsCompaction: { tokenThreshold: 100, eventRetentionSize: 3, summarizer },
    });
    await world.run(long);
    await world.run("b");
    await world.run("c");
    expect(linesOf(model.requests[1]?.contents)).toEqual([long, "A", "b"]);
    expect(linesOf(model.requests[2]?.contents)).toEqual([`${LEAD}${long} A`, "b", "B", "c"]);
    expect(compactionsOf(await world.session())).toMatchObject([{ startSequence: 1, endSequence: 2 }]);
  });

  it("guesses from the characters when the model reports nothing, calls and responses included", async () => {
    const model = new ScriptedModel([functionCallResponse("read", {}, "1"), "done"]);
    const read = new FunctionTool({ name: "read", description: "Reads.", execute: () => ({ page: long }) });
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [read] }), {
      eventsCompaction: { tokenThreshold: 100, eventRetentionSize: 0, summarizer: new JoiningSummarizer() },
    });
    await world.run("go");
    expect(linesOf(model.requests[1]?.contents)).toEqual([`${LEAD}go · ·`]);
  });

  it("counts what came since the model last reported", async () => {
    const model = new ScriptedModel([answerOf("A", 10), answerOf("B", 10)]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
      eventsCompaction: { tokenThreshold: 100, eventRetentionSize: 1, summarizer: new JoiningSummarizer() },
    });
    await world.run(long.slice(0, 80));
    await world.run(long);
    expect(linesOf(model.requests[1]?.contents)).toEqual([`${LEAD}${long.slice(0, 80)} A`, long]);
  });

  it("keeps a call with its response, and the question of a turn that it cuts, in one long turn", async () => {
    const steps = [1, 2, 3, 4].map((count) => ({
      ...functionCallResponse("read", {}, String(count)),
      usageMetadata: { promptTokenCount: count * 40 },
    }));
    const model = new ScriptedModel([...steps, "done"]);
    const read = new FunctionTool({ name: "read", description: "Reads.", execute: () => long });
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [read] }), {
      eventsCompaction: { tokenThreshold: 250, eventRetentionSize: 1, summarizer: new JoiningSummarizer() },
    });
    await world.run("read all");
    const last = linesOf(model.requests.at(-1)?.contents);
    expect(last.slice(1)).toEqual(["read all", "4", "4"]);
    expect(last[0]).toMatch(/^Summary/);
  });

  it("does not summarize at every step what is not worth it", async () => {
    const summarizer = new JoiningSummarizer();
    const model = new ScriptedModel([answerOf("A", 5000), answerOf("B", 5000), answerOf("C", 5000)]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
      eventsCompaction: { tokenThreshold: 4000, eventRetentionSize: 1, summarizer },
    });
    for (const word of ["a", "b", "c"]) await world.run(word);
    expect(summarizer.requests).toEqual([]);
  });

  it("leaves agents alone that send no history", async () => {
    const summarizer = new JoiningSummarizer();
    const model = new ScriptedModel([answerOf("A", 500), answerOf("B", 500)]);
    const helper = new LlmAgent({ name: "helper", model, includeContents: IncludeContents.NONE });
    const world = await createAgentWorld(helper, {
      eventsCompaction: { tokenThreshold: 1, eventRetentionSize: 0, summarizer },
    });
    await world.run("a");
    await world.run("b");
    expect(summarizer.requests).toEqual([]);
  });

  it("takes nothing from the turn of agents that work side by side, and summarizes once for both", async () => {
    const summarizer = new JoiningSummarizer();
    const models = [1, 2].map(() => new ScriptedModel(["one", "two"]));
    const subAgents = models.map((model, index) => new LlmAgent({ name: `a${index}`, model }));
    const world = await createAgentWorld(new ParallelAgent({ name: "team", subAgents }), {
      eventsCompaction: { tokenThreshold: 50, eventRetentionSize: 0, summarizer },
    });
    await world.run(long);
    await world.run("next");
    expect(summarizer.requests).toHaveLength(1);
    for (const { requests } of models) {
      const [summary, next, ...rest] = linesOf(requests[1]?.contents);
      expect([summary?.slice(0, 7), next, rest]).toEqual(["Summary", "next", []]);
    }
  });
});

describe("calls without an answer", () => {
  const compactEach = (summarizer: EventSummarizer) => ({ compactionInterval: 1, overlapSize: 0, summarizer });

  it("that wait for one stay in the prompt until it has come", async () => {
    const model = new ScriptedModel([functionCallResponse("approve", {}, "c1"), "thanks", "bye"]);
    const approve = new LongRunningFunctionTool({
      name: "approve",
      description: "Asks a person.",
      execute: () => undefined,
    });
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [approve] }), {
      eventsCompaction: compactEach(new JoiningSummarizer()),
    });
    await world.run("may I?");
    const answer: Content = {
      role: "user",
      parts: [{ functionResponse: { id: "c1", name: "approve", response: { ok: true } } }],
    };
    await world.run(answer);
    expect(linesOf(model.requests[1]?.contents).slice(-2)).toEqual(["c1", "c1"]);
    await world.run("and now?");
    expect(linesOf(model.requests[2]?.contents)).toEqual([expect.stringMatching(/^Summary/), "and now?"]);
  });

  it("that wait within a workflow are found again by the run that answers them, a summary in between or not", async () => {
    const model = new ScriptedModel([functionCallResponse("approve", {}, "c1"), "thanks"]);
    const approve = new LongRunningFunctionTool({
      name: "approve",
      description: "Asks a person.",
      execute: () => undefined,
    });
    const second = new LlmAgent({ name: "second", model: new ScriptedModel(["second done"]) });
    const first = new LlmAgent({ name: "first", model, tools: [approve] });
    const world = await createAgentWorld(new SequentialAgent({ name: "row", subAgents: [first, second] }), {
      eventsCompaction: compactEach(new JoiningSummarizer()),
    });
    await world.run("may I?");
    const answer: Content = {
      role: "user",
      parts: [{ functionResponse: { id: "c1", name: "approve", response: { ok: true } } }],
    };
    expect((await world.run(answer)).filter(({ content }) => content !== undefined).map(brief)).toEqual([
      "first: thanks",
      "second: second done",
    ]);
  });

  it("that a lost process left behind do not hold compaction up (compaction blocked forever by an orphan)", async () => {
    const summarizer = new JoiningSummarizer();
    const model = new ScriptedModel(["A", "B"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
      eventsCompaction: { compactionInterval: 2, overlapSize: 0, summarizer },
    });
    await world.run("a");
    const parts = [{ functionCall: { id: "lost", name: "gone", args: {} } }];
    await world.store.appendEvent(await world.session(), {
      ...((await world.session()).events[1] as Event),
      id: "orphan",
      content: { role: "model", parts },
    });
    await world.run("b");
    expect(compactionsOf(await world.session())).toMatchObject([{ startSequence: 1, endSequence: 5 }]);
  });
});

describe("long sessions", () => {
  it("send the same short prompt from a runner that has never seen them", async () => {
    const model = new ScriptedModel(["A", "B", "C"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
      eventsCompaction: { compactionInterval: 2, overlapSize: 0, summarizer: new JoiningSummarizer() },
    });
    await world.run("a");
    await world.run("b");
    const other = new Runner({ app: world.runner.app, journal: world.store, sessionService: world.store });
    await Array.fromAsync(other.runAsync({ userId: "ada", sessionId: "talk", newMessage: userContent("c") }));
    expect(linesOf(model.requests[2]?.contents)).toEqual([`${LEAD}a A b B`, "c"]);
  });

  it("send short prompts (4k tokens become 190k without compaction)", async () => {
    const lengths: number[] = [];
    const model = new ScriptedModel(
      [
        ({ contents }) => {
          lengths.push(contents.length);
          return "ok";
        },
      ],
      { repeatLast: true },
    );
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
      eventsCompaction: {
        compactionInterval: 5,
        overlapSize: 1,
        summarizer: { summarizeEvents: async () => ({ content: modelContent("so far") }) },
      },
    });
    for (let turn = 0; turn < 60; turn += 1) await world.run(`turn ${turn}`);
    expect(Math.max(...lengths)).toBe(10);
  });
});
