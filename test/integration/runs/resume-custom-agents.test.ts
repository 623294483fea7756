import { describe, expect, it } from "vitest";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { modelContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";
import { CutWorld } from "#test/helpers/worlds/cut-runs.ts";

/** Answers the text that a function returns for the number of the attempt. */
class Speaker extends BaseAgent {
  readonly #words: () => readonly string[];

  constructor(name: string, words: () => readonly string[]) {
    super({ name });
    this.#words = words;
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
    for (const text of this.#words()) yield context.createEvent({ content: modelContent(text) });
  }
}

describe("a resumed turn", () => {
  it("does not start a sub-agent again that had ended without an event beside others", async () => {
    let starts = 0;
    const silent = () =>
      new Speaker("silent", () => {
        starts += 1;
        return [];
      });
    const world = new CutWorld(
      () =>
        new ParallelAgent({
          name: "team",
          subAgents: [silent(), new Speaker("talker", () => ["one", "two", "three"])],
        }),
    );
    await world.run("go", [{ write: 2, when: "after" }]);
    expect((await world.events()).map(brief)).toEqual(["user: go", "talker: one", "talker: two", "talker: three"]);
    expect(starts).toBe(1);
  });

  it("compares the events of a custom agent only with those that it stored after the last match", async () => {
    let attempts = 0;
    const attempt = [
      ["one", "two", "three"],
      ["two", "one", "three"],
    ];
    const world = new CutWorld(() => new Speaker("fickle", () => attempt[attempts++] ?? []));
    await world.run("go", [{ write: 2, when: "after" }]);
    expect(attempts).toBe(2);
    // The stored "two" replaces the new one. The stored "one" comes before it and does not replace the "one" after it.
    expect((await world.events()).map(brief)).toEqual([
      ...["user: go", "fickle: one", "fickle: two"],
      ...["fickle: one", "fickle: three"],
    ]);
  });
});
