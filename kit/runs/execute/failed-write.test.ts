import { describe, expect, it, vi } from "vitest";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { modelContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

describe("a write of an event that fails", () => {
  it("closes the agent", async () => {
    const log: string[] = [];
    class Speaker extends BaseAgent {
      protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
        try {
          for (const name of ["one", "two"]) {
            log.push(name);
            yield context.createEvent({ content: { role: "model", parts: [{ functionCall: { id: name, name } }] } });
          }
        } finally {
          log.push("closed");
        }
      }
    }
    const world = await createAgentWorld(new Speaker({ name: "speaker" }));
    vi.spyOn(world.store, "append").mockRejectedValueOnce(new Error("disk full"));
    await expect(world.run("go")).rejects.toThrow();
    expect(log).toEqual(["one", "closed"]);
  });

  it("is reported to an agent that works on meanwhile, before its next step", async () => {
    const outcomes: unknown[] = [];
    class Worker extends BaseAgent {
      protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
        yield context.createEvent({ content: modelContent("one") });
        // An event that may be the last one is written in the next turn of the event loop.
        while (failing.mock.results.length === 0) await new Promise(setImmediate);
        await Promise.allSettled(failing.mock.results.map(({ value }) => value));
        await new Promise(setImmediate);
        await context.persisted().then(
          () => outcomes.push("stored"),
          (error: unknown) => outcomes.push(error instanceof Error ? error.message : error),
        );
      }
    }
    const world = await createAgentWorld(new Worker({ name: "worker" }));
    const failing = vi.spyOn(world.store, "append").mockRejectedValueOnce(new Error("disk full"));
    await expect(world.run("go")).rejects.toThrow();
    expect(outcomes).toEqual(["The session store failed."]);
  });
});
