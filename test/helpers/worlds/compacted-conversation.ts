import { compactEvents } from "#kit/compaction/compact-events.ts";
import type { Content, Part } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import type { HistorySlice } from "#kit/history/fold-history.ts";
import type { CompactionRule } from "#kit/history/plan-compaction.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";

export type Step =
  | { readonly kind: "say" }
  | { readonly kind: "call"; readonly count: number; readonly outcome: "answered" | "lost" | "waiting" }
  | { readonly kind: "answer" }
  | { readonly kind: "compact"; readonly rule: CompactionRule }
  | { readonly kind: "rewind"; readonly invocations: number };

export const rule: fc.Arbitrary<CompactionRule> = fc.oneof(
  fc.record({ retain: fc.nat(6) }),
  fc.record({ retain: fc.nat(3), invocations: fc.integer({ min: 1, max: 3 }), overlap: fc.nat(2) }),
);

export const steps: fc.Arbitrary<Step[]> = fc.array(
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

/** A conversation that grows by steps; every text and every call is numbered, so that their order can be checked. */
export class Conversation {
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
        await this.compact(step.rule);
        return;
      case "rewind":
        this.#rewind(step.invocations);
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

  /** Summarizes the given history; all of this conversation if absent. */
  async compact(
    compactionRule: CompactionRule,
    history: HistorySlice = { events: this.events, firstSequence: 1 },
  ): Promise<void> {
    const made = await compactEvents(history, compactionRule, {
      summarizer: {
        summarizeEvents: async ({ previous, events }) => {
          // A rolling summary: the numbers that it covers, in order.
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

  /** Takes back so many of the newest invocations. */
  #rewind(invocations: number): void {
    const to = this.#invocation - invocations + 1;
    if (to < 1) return;
    const actions = createEventActions({ rewindBeforeInvocationId: `i${to}` });
    this.#invocation += 1;
    this.#push({ author: "user", actions });
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
    // All have the same timestamp, so that only sequences order them.
    const invocationId = `i${this.#invocation}`;
    this.events.push(createEvent({ id: `e${this.events.length}`, invocationId, timestamp: 0, ...event }));
  }
}

/** The numbers in a content: texts, and calls where they are made. */
export function marksOf(content: Content | undefined): readonly string[] {
  return (content?.parts ?? []).flatMap(({ text, functionCall }) => {
    if (functionCall?.id !== undefined) return [functionCall.id];
    return text?.match(/\d{4}/g) ?? [];
  });
}
