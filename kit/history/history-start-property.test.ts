import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { resolveAgent } from "#kit/runs/begin/resolve-agent.ts";
import { type HistoryStart, NO_HISTORY_START } from "#kit/sessions/history-start.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { Conversation, rule, type Step, steps } from "#test/helpers/worlds/compacted-conversation.ts";
import { findHistoryStart } from "./find-history-start.ts";
import { foldHistory, type HistorySlice, numbered, opensTurn, withoutRewound } from "./fold-history.ts";
import { waitingCalls } from "./plan-compaction.ts";
import { PromptHistory } from "./prompt-history.ts";

const moves: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: steps.map((all): Step => all[0] ?? { kind: "say" }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("compact" as const), rule }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("rewind" as const), invocations: fc.integer({ min: 1, max: 8 }) }),
    },
  ),
  { minLength: 1, maxLength: 40 },
);

/** The call is kept, because it is its agent's newest event. */
const ANSWER_IS_SUMMARIZED: Step[] = [
  { kind: "call", count: 1, outcome: "waiting" },
  { kind: "answer" },
  { kind: "compact", rule: { retain: 0, invocations: 1, overlap: 0 } },
  { kind: "call", count: 1, outcome: "answered" },
];

const viewer = { agentName: "helper", branch: undefined };
const model = new ScriptedModel([]);
const root = new LlmAgent({ name: "root", model, subAgents: [new LlmAgent({ name: "helper", model })] });

function whole({ events }: Conversation): HistorySlice {
  return { events: events.slice(), firstSequence: 1 };
}

/** The events that a runner without a cache loads. */
function loaded({ events }: Conversation, { from, earlier }: HistoryStart): HistorySlice {
  const places = earlier.flatMap((sequence) => events[sequence - 1] ?? []);
  return { events: [...places, ...events.slice(from - 1)], firstSequence: from, earlier };
}

/** Where turns that wait for an answer are resumed: the sequence of their opening event, and their agent. */
function openingsOf(history: HistorySlice): readonly string[] {
  const live = withoutRewound(numbered(history));
  const waiting = waitingCalls(live);
  const open = live.filter(({ event }) => event.longRunningToolIds?.some((id) => waiting.has(id)) === true);
  return [...new Set(open.map(({ event }) => event.invocationId))].map((invocationId) => {
    const at = live.findLastIndex(({ event }) => event.invocationId === invocationId && opensTurn(event));
    const before = live.slice(0, at + 1).map(({ event }) => event);
    return `${live[at]?.sequence}: ${resolveAgent(root, before).name}`;
  });
}

/** Takes the step as a runner that has loaded only what the bound asks for, and returns the bound that it stores. */
async function takeBounded(conversation: Conversation, step: Step, bound: HistoryStart): Promise<HistoryStart> {
  const { length } = conversation.events;
  if (step.kind === "compact") await conversation.compact(step.rule, loaded(conversation, bound));
  else await conversation.take(step);
  if (conversation.events.length === length) return bound;
  if (step.kind === "rewind") return findHistoryStart(whole(conversation));
  return step.kind === "compact" ? findHistoryStart(loaded(conversation, bound)) : bound;
}

describe("any conversation, summarized and rewound anywhere", () => {
  it("gives the same result whether all events were loaded or only those that its history start asks for", async () => {
    await fc.assert(
      fc.asyncProperty(moves, async (all) => {
        const conversation = new Conversation();
        let bound = NO_HISTORY_START;
        for (const step of all) {
          bound = await takeBounded(conversation, step, bound);
          const [given, every] = [loaded(conversation, bound), whole(conversation)];
          expect(foldHistory(given)).toEqual(foldHistory(every));
          expect(new PromptHistory(given.events, bound).contents(viewer)).toEqual(
            new PromptHistory(every.events).contents(viewer),
          );
          expect(resolveAgent(root, given.events).name).toBe(resolveAgent(root, every.events).name);
          expect(given.events.at(-1)).toBe(every.events.at(-1));
          expect(openingsOf(given)).toEqual(openingsOf(every));
        }
      }),
      { numRuns: 300, examples: [[ANSWER_IS_SUMMARIZED]] },
    );
  });
});
