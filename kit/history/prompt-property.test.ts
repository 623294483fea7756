import { describe, expect, it } from "vitest";
import type { Content, Part } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { refusals } from "#test/helpers/dialects/prompt-rules.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { PromptHistory } from "./prompt-history.ts";

type Move =
  | { readonly kind: "say"; readonly author: "user" | "helper" | "other" }
  | { readonly kind: "call"; readonly ids: readonly (string | undefined)[]; readonly long: boolean }
  | { readonly kind: "respond"; readonly ids: readonly (string | undefined)[]; readonly author: "user" | "helper" }
  | { readonly kind: "rewind"; readonly invocations: number };

/** Few ids, so that they repeat; some calls and responses have none. */
const callIds = fc.array(fc.constantFrom("a", "b", "c", "d", undefined), { minLength: 1, maxLength: 3 });
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("say" as const),
      author: fc.constantFrom("user" as const, "helper" as const, "other" as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("call" as const), ids: callIds, long: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("respond" as const),
      ids: callIds,
      author: fc.constantFrom("user" as const, "helper" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("rewind" as const), invocations: fc.integer({ min: 1, max: 3 }) }),
  },
);

const viewer = { agentName: "helper", branch: undefined };

/** The events of the moves. Each text, call and response carries a number that stands nowhere else. */
function eventsOf(moves: readonly Move[]): Event[] {
  let count = 0;
  let invocation = 0;
  const mark = (): string => `#${String((count += 1)).padStart(4, "0")}`;
  const named = (id: string | undefined): { name: string; id?: string } => ({
    name: `tool_${id ?? "x"}`,
    ...(id !== undefined && { id }),
  });
  return moves.map((one, index) => {
    if (one.kind === "say" && one.author === "user") invocation += 1;
    const base = { id: `e${index}`, invocationId: `i${invocation}`, timestamp: index };
    switch (one.kind) {
      case "say": {
        const role = one.author === "user" ? "user" : "model";
        return createEvent({ ...base, author: one.author, content: { role, parts: [{ text: mark() }] } });
      }
      case "call": {
        const parts = one.ids.map((id): Part => ({ functionCall: { ...named(id), args: { mark: mark() } } }));
        const longRunningToolIds = one.ids.filter((id) => id !== undefined);
        const content = { role: "model", parts };
        return createEvent({ ...base, author: "helper", content, ...(one.long && { longRunningToolIds }) });
      }
      case "respond": {
        const parts = one.ids.map((id): Part => ({ functionResponse: { ...named(id), response: { mark: mark() } } }));
        return createEvent({ ...base, author: one.author, content: { role: "user", parts } });
      }
      case "rewind": {
        const actions = createEventActions({ rewindBeforeInvocationId: `i${invocation - one.invocations + 1}` });
        return createEvent({ ...base, author: "user", actions });
      }
      default:
        return one satisfies never;
    }
  });
}

const marksOf = (value: unknown): readonly string[] => JSON.stringify(value).match(/#\d{4}/g) ?? [];

/** What was said or called, in order. Responses are checked apart: a newer one may replace one. */
function saidIn(contents: readonly (Content | undefined)[]): readonly string[] {
  const parts = contents.flatMap((content) => content?.parts ?? []);
  return marksOf(
    parts.map(({ text, functionCall }) => (text?.includes("now answers") ? undefined : [text, functionCall])),
  );
}

/** The newest response to each id of which a call was made before. */
function newestResponses(events: readonly Event[]): readonly string[] {
  const newest = new Map<string, readonly string[]>();
  const called = new Set<string>();
  for (const { content } of events)
    for (const { functionCall, functionResponse } of content?.parts ?? []) {
      if (functionCall?.id !== undefined) called.add(functionCall.id);
      const { id = "" } = functionResponse ?? {};
      if (called.has(id)) newest.set(id, marksOf(functionResponse));
    }
  return [...newest.values()].flat();
}

describe("a prompt of any history: late, repeated, unknown and missing responses, ids twice or missing, rewinds", () => {
  it("answers each call behind it, loses nothing that was said, and is accepted by each kind of provider", () => {
    verifies("what-the-service-does:late-answers", "what-the-service-does:valid-prompts");
    fc.assert(
      fc.property(fc.array(move, { minLength: 1, maxLength: 25 }), (moves) => {
        const all = eventsOf(moves);
        const growing: Event[] = [];
        const history = new PromptHistory(growing);
        for (const event of all) {
          growing.push(event);
          const contents = history.contents(viewer);
          expect(contents).toEqual(new PromptHistory(growing.slice()).contents(viewer));
          expect(callProblems(contents)).toEqual([]);
          if (growing.some(({ actions }) => actions.rewindBeforeInvocationId !== undefined)) continue;
          expect(saidIn(contents)).toEqual(saidIn(growing.map(({ content }) => content)));
          expect(marksOf(contents)).toEqual(expect.arrayContaining([...newestResponses(growing)]));
        }
        const request = new LlmRequest({ model: "m", contents: history.contents(viewer) });
        for (const refusalOf of Object.values(refusals)) expect(refusalOf(request)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

/** Each content with calls is followed by one with their responses, ids are used once, and no response stands elsewhere. */
function callProblems(contents: readonly Content[]): readonly string[] {
  const problems: string[] = [];
  const used = new Set<string | undefined>();
  let expected: readonly (string | undefined)[] = [];
  for (const [index, { parts = [] }] of [...contents, {}].entries()) {
    const responses = parts.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse.id] : []));
    if ([...responses].sort().join() !== [...expected].sort().join())
      problems.push(`${index}: ${expected}, got ${responses}`);
    expected = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall.id] : []));
    for (const id of expected) {
      if (id === undefined || used.has(id)) problems.push(`${index}: id ${id}`);
      used.add(id);
    }
  }
  return problems;
}
