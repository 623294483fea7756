import { expect, it } from "vitest";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { modelContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

/** Says two things; the second one carries metadata of its own. */
class Speaker extends BaseAgent {
  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
    yield context.createEvent({ content: modelContent("one") });
    yield context.createEvent({ content: modelContent("two"), customMetadata: { by: "agent" } });
  }
}

const speaker = (): Speaker => new Speaker({ name: "speaker" });

it("marks the events of a run with its metadata, unless they have their own", async () => {
  const { run } = await createAgentWorld(speaker());
  expect((await run("a")).map((event) => event.customMetadata)).toEqual([undefined, { by: "agent" }]);
  const marked = await run("b", { customMetadata: { by: "run" } });
  expect(marked.map((event) => event.customMetadata)).toEqual([{ by: "run" }, { by: "agent" }]);
});

it("lets a plugin replace an event, but not its identity", async () => {
  const seen: Event[] = [];
  const plugin: Plugin = {
    name: "changes",
    onEventCallback: (_context, event) => {
      seen.push(event);
      if (event.customMetadata !== undefined) return undefined;
      return { ...event, id: "x", invocationId: "y", timestamp: -1, content: modelContent("changed") };
    },
  };
  const { run, session } = await createAgentWorld(speaker(), { plugins: [plugin] });
  const events = await run("a");
  const [first, second] = seen;
  expect(events).toEqual([{ ...first, content: modelContent("changed") }, second]);
  expect((await session()).events.slice(1).map(({ id }) => id)).toEqual([first?.id, second?.id]);
});
