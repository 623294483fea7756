import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Content, Part } from "../events/content.ts";
import { createEvent, type Event } from "../events/event.ts";
import { createEventActions } from "../events/event-actions.ts";
import { PromptHistory } from "../flow/prompt-history.ts";
import { compactEvents } from "./compact-events.ts";
import type { CompactionRule } from "./plan-compaction.ts";

type Step =
  | { readonly kind: "say" }
  | { readonly kind: "call"; readonly count: number; readonly outcome: "answered" | "lost" | "waiting" }
  | { readonly kind: "answer" }
  | { readonly kind: "compact"; readonly rule: CompactionRule };

const rule: fc.Arbitrary<CompactionRule> = fc.oneof(
  fc.record({ retain: fc.nat(6) }),
  fc.record({ retain: fc.nat(3), invocations: fc.integer({ min: 1, max: 3 }), overlap: fc.nat(2) }),
);

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({ kind: "say" } as const) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("call" as const),
        count: fc.integer({ min: 1, max: 3 }),
        outcome: fc.constantFrom("answered", "answered", "lost", "waiting"),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "answer" } as const) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("compact" as const), rule }) },
  ),
  { minLength: 1, maxLength: 40 },
);

/** A conversation that grows by steps; every text and every call is numbered, so that order can be read off. */
class Conversation {
  readonly events: Event[] = [];
  readonly #waiting: string[] = [];
  #count = 0;
  #invocation = 0;

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "say":
        this.#invocation += 1;
        this.#add("user", [{ text: this.#next() }]);
        this.#add("helper", [{ text: this.#next() }]);
        return;
      case "call":
        this.#invocation += 1;
        this.#add("user", [{ text: this.#next() }]);
        this.#call(step.count, step.outcome);
        return;
      case "answer": {
        const id = this.#waiting.shift();
        if (id === undefined) return;
        this.#invocation += 1;
        this.#add("user", [{ functionResponse: { id, name: "f", response: {} } }]);
        return;
      }
      case "compact":
        await this.#compact(step.rule);
        return;
      default:
        step satisfies never;
    }
  }

  #call(count: number, outcome: "answered" | "lost" | "waiting"): void {
    const ids = Array.from({ length: count }, () => this.#next());
    const parts = ids.map((id): Part => ({ functionCall: { id, name: "f", args: {} } }));
    this.#add("helper", parts, outcome === "waiting" ? { longRunningToolIds: ids } : {});
    if (outcome === "waiting") this.#waiting.push(...ids);
    if (outcome !== "answered") return;
    this.#add(
      "helper",
      ids.map((id): Part => ({ functionResponse: { id, name: "f", response: {} } })),
    );
    this.#add("helper", [{ text: this.#next() }]);
  }

  async #compact(compactionRule: CompactionRule): Promise<void> {
    const made = await compactEvents({ events: this.events, firstSequence: 1 }, compactionRule, {
      summarizer: {
        summarizeEvents: async ({ previous, events }) => {
          // A rolling summary: what it covers, in order.
          const said = [...previous, ...events.map(({ content }) => content)].flatMap((content) => marksOf(content));
          return { content: { role: "model", parts: [{ text: said.join(" ") }] } };
        },
      },
      model: undefined,
      signal: new AbortController().signal,
    });
    if (made === undefined) return;
    this.#push({ author: "user", actions: createEventActions({ compaction: made.compaction }) });
  }

  #next(): string {
    this.#count += 1;
    return String(this.#count).padStart(4, "0");
  }

  #add(author: string, parts: readonly Part[], extra: Partial<Event> = {}): void {
    const isUser = author === "user" || parts.some(({ functionResponse }) => functionResponse !== undefined);
    this.#push({ author, content: { role: isUser ? "user" : "model", parts }, ...extra });
  }

  #push(event: Partial<Event> & { readonly author: string }): void {
    // All at the same instant: places are told by sequence alone.
    const invocationId = `i${this.#invocation}`;
    this.events.push(createEvent({ id: `e${this.events.length}`, invocationId, timestamp: 0, ...event }));
  }
}

/** The numbers in a content: texts, and calls where they are made. */
function marksOf(content: Content | undefined): readonly string[] {
  return (content?.parts ?? []).flatMap(({ text, functionCall }) => {
    if (functionCall?.id !== undefined) return [functionCall.id];
    return text?.match(/\d{4}/g) ?? [];
  });
}

const idsOf = (content: Content | undefined, kind: "functionCall" | "functionResponse"): readonly string[] =>
  (content?.parts ?? []).flatMap((part) => part[kind]?.id ?? []).sort();

const viewer = { agentName: "helper", branch: undefined };

describe("any conversation, compacted anywhere", () => {
  it("gives prompts in which each call has its response right behind it, and no response is without its call", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const conversation = new Conversation();
        for (const step of all) {
          await conversation.take(step);
          const contents = new PromptHistory(conversation.events).contents(viewer);
          for (const [index, content] of contents.entries()) {
            expect(idsOf(contents[index + 1], "functionResponse")).toEqual(idsOf(content, "functionCall"));
          }
          expect(idsOf(contents[0], "functionResponse")).toEqual([]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("keeps the order of what the prompt still tells word for word, and tells everything once, there or in the summary", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const conversation = new Conversation();
        for (const step of all) await conversation.take(step);
        // An answer that comes late ends the prompt at its call; what follows must be there as well.
        await conversation.take({ kind: "say" });
        const contents = new PromptHistory(conversation.events).contents(viewer);
        const isSummary = (content: Content): boolean => content.parts?.[0]?.text?.startsWith("Summary") === true;
        const raw = contents.filter((content) => !isSummary(content)).flatMap(marksOf);
        expect(raw).toEqual(raw.toSorted());
        expect(contents.slice(1).filter(isSummary)).toEqual([]);
        expect(contents.flatMap(marksOf).toSorted()).toEqual(
          conversation.events.flatMap(({ content }) => marksOf(content)).toSorted(),
        );
      }),
      { numRuns: 150 },
    );
  });

  it("gives the same prompt whether the history was followed or read at once", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const conversation = new Conversation();
        const followed = new PromptHistory(conversation.events);
        for (const step of all) {
          await conversation.take(step);
          expect(followed.contents(viewer)).toEqual(new PromptHistory(conversation.events).contents(viewer));
        }
      }),
      { numRuns: 100 },
    );
  });
});
