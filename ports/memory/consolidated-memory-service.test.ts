import { expect, it } from "vitest";
import { modelContent, textOf, userContent } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { Session } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { ConsolidatedMemoryService } from "./consolidated-memory-service.ts";
import { InMemoryMemoryService } from "./in-memory-memory-service.ts";

const SCOPE = { appName: "app", userId: "ada" };
const USAGE = { promptTokenCount: 90, candidatesTokenCount: 10, totalTokenCount: 100 };

interface Told {
  readonly facts?: readonly { fact: string; id?: string; lines: readonly number[] }[];
  readonly forget?: readonly string[];
}

function answer({ facts = [], forget = [] }: Told): ScriptedStep {
  return { content: modelContent(JSON.stringify({ facts, forget })), usageMetadata: USAGE };
}

function startWorld(
  steps: readonly ScriptedStep[],
  options: { readonly ttlSeconds?: number; readonly keepSessions?: boolean } = {},
) {
  const clock = new FixedClock(1_800_000_000_000);
  const sources = { clock, ids: new SequentialIds() };
  const model = new ScriptedModel(steps);
  const store = new InMemoryMemoryService(sources);
  const memory = new ConsolidatedMemoryService({ memoryService: store, model, ...sources, ...options });
  return { clock, model, store, memory };
}

function sessionOf(id: string, ...texts: readonly string[]): Session {
  const events = texts.map((text, index) =>
    createEvent({
      id: `${id}-${index + 1}`,
      invocationId: "i",
      author: "user",
      timestamp: 1,
      content: userContent(text),
    }),
  );
  return { ...SCOPE, id, state: {}, events, lastUpdateTime: 1, revision: events.length };
}

async function factsIn(memory: MemoryService, query: string): Promise<readonly string[]> {
  return (await memory.searchMemory(SCOPE, query)).memories.map(({ content }) => textOf(content));
}

it("learns facts with their date and sources, and costs one call of the model for each session", async () => {
  const { memory, model } = startWorld([answer({ facts: [{ fact: "Ada likes green tea.", lines: [2] }] })]);
  expect(await memory.consolidate(sessionOf("s", "Hello.", "I like green tea."))).toEqual({
    learned: [
      {
        ...{
          id: "id-1",
          content: userContent("Ada likes green tea."),
          author: "user",
          timestamp: "2027-01-15T08:00:00.000Z",
        },
        customMetadata: {
          ...{ kind: "fact", learnTime: "2027-01-15T08:00:00.000Z" },
          sources: [{ sessionId: "s", eventIds: ["s-2"] }],
        },
      },
    ],
    ...{ forgotten: [], modelCalls: 1, usageMetadata: USAGE },
  });
  expect([await factsIn(memory, "tea"), await factsIn(memory, "hello")]).toEqual([["Ada likes green tea."], []]);
  expect(await memory.consolidate(sessionOf("empty", " "))).toEqual({ learned: [], forgotten: [], modelCalls: 0 });
  expect(model.callCount).toBe(1);
});

it("merges what a later session says with the known facts, and forgets what no longer holds", async () => {
  const { memory, model, clock } = startWorld([
    answer({
      facts: [
        { fact: "Ada likes tea.", lines: [1] },
        { fact: "Ada lives in Rome.", lines: [1] },
      ],
    }),
    answer({ facts: [{ fact: "Ada likes green tea.", id: "id-1", lines: [1] }], forget: ["id-2", "unknown"] }),
  ]);
  await memory.addSessionToMemory(sessionOf("s", "I like tea and live in Rome."));
  clock.advance(1000);
  const { learned, forgotten } = await memory.consolidate(sessionOf("t", "Green tea it is. I left Rome."));
  expect(JSON.stringify(model.requests[1]?.contents)).toContain("id-1: Ada likes tea.");
  expect(learned.map(({ id, timestamp, customMetadata }) => [id, timestamp, customMetadata])).toEqual([
    [
      "id-1",
      "2027-01-15T08:00:01.000Z",
      {
        ...{ kind: "fact", learnTime: "2027-01-15T08:00:00.000Z" },
        sources: [
          { sessionId: "s", eventIds: ["s-1"] },
          { sessionId: "t", eventIds: ["t-1"] },
        ],
      },
    ],
  ]);
  expect([forgotten, await factsIn(memory, "Ada tea Rome")]).toEqual([["id-2"], ["Ada likes green tea."]]);
});

it("forgets a fact when its time is over, unless a session confirms it", async () => {
  const fact = { fact: "Ada likes tea.", lines: [1] };
  const { memory, clock } = startWorld([answer({ facts: [fact] }), answer({ facts: [{ ...fact, id: "id-1" }] })], {
    ttlSeconds: 60,
  });
  await memory.addSessionToMemory(sessionOf("s", "I like tea."));
  clock.advance(40_000);
  await memory.addSessionToMemory(sessionOf("t", "I still like tea."));
  clock.advance(40_000);
  expect(await factsIn(memory, "tea")).toEqual(["Ada likes tea."]);
  clock.advance(20_000);
  expect(await factsIn(memory, "tea")).toEqual([]);
});

it("forgets for the user: single facts, and those that come from one session alone", async () => {
  const { memory, store } = startWorld(
    [
      answer({
        facts: [
          { fact: "Ada likes tea.", lines: [1] },
          { fact: "Ada has a dog.", lines: [1] },
          { fact: "Ada sings.", lines: [1] },
        ],
      }),
      answer({ facts: [{ fact: "Ada likes tea.", id: "id-1", lines: [1] }] }),
    ],
    { keepSessions: true },
  );
  await memory.addSessionToMemory(sessionOf("s", "I like tea, have a dog and sing."));
  await memory.addSessionToMemory(sessionOf("t", "I like tea."));
  await memory.forget(SCOPE, ["id-3"]);
  expect([await factsIn(memory, "sings"), await factsIn(store, "sings")]).toEqual([[], []]);
  await memory.deleteSessionMemory(SCOPE, "s");
  expect(await factsIn(memory, "Ada dog tea")).toEqual(["Ada likes tea.", "I like tea."]);
  const { memories } = await memory.searchMemory(SCOPE, "Ada");
  expect(memories[0]?.customMetadata?.["sources"]).toEqual([{ sessionId: "t", eventIds: ["t-1"] }]);
  expect((await memory.searchMemory({ ...SCOPE, userId: "eve" }, "Ada tea")).memories).toEqual([]);
});

it("forgets what a session gave each time that it was added", async () => {
  const { memory } = startWorld([
    answer({ facts: [{ fact: "Ada likes tea.", lines: [1] }] }),
    answer({ facts: [{ fact: "Ada sings.", lines: [2] }] }),
  ]);
  await memory.addSessionToMemory(sessionOf("s", "I like tea."));
  await memory.addSessionToMemory(sessionOf("s", "I like tea.", "I sing."));
  expect(await factsIn(memory, "Ada")).toHaveLength(2);
  await memory.deleteSessionMemory(SCOPE, "s");
  expect(await factsIn(memory, "Ada")).toEqual([]);
});

it.each(["I cannot.", "[]", '{"facts": 1}'])("changes nothing for the answer %s", async (text) => {
  const { memory } = startWorld([text]);
  await expect(memory.addSessionToMemory(sessionOf("s", "I like tea."))).rejects.toMatchObject({
    reason: "MODEL_UNAVAILABLE",
  });
  expect(await factsIn(memory, "tea likes")).toEqual([]);
});

it("takes no more than 50 facts of an answer, and none that is longer than a fact", async () => {
  const facts = Array.from({ length: 60 }, (_, index) => ({
    fact: index === 0 ? "x".repeat(1001) : `Fact ${index}.`,
    lines: [],
  }));
  const { memory } = startWorld([answer({ facts })]);
  const { learned } = await memory.consolidate(sessionOf("s", "A lot."));
  expect([learned.length, textOf(learned[0]?.content)]).toEqual([50, "Fact 1."]);
});
