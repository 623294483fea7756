import { describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { userContent } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { Runner } from "#kit/runs/runner.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { createPlanner, type PlanWorld } from "#test/helpers/planners/plan-worlds.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";

const RUNS = 8;

/** What a session has after its run: events by branch, their marks, and the state. */
interface Outcome {
  readonly events: readonly string[];
  readonly state: JsonObject;
}

/** Runs the agent in sessions with these states, all at the same time. */
async function runTogether(rootAgent: BaseAgent, states: readonly JsonObject[]): Promise<readonly Outcome[]> {
  const [clock, ids] = [new FixedClock(), new SequentialIds()];
  const store = new InMemorySessionStore({ clock, ids });
  const app = createApp({ name: "app", rootAgent });
  const runner = new Runner({ app, sessionService: store, journal: store, clock, ids });
  return Promise.all(
    states.map(async (state, at): Promise<Outcome> => {
      const key = { appName: "app", userId: "ada", id: `talk-${at}` };
      await store.createSession({ ...key, state });
      const newMessage = userContent("go");
      await Array.fromAsync(runner.runAsync({ userId: key.userId, sessionId: key.id, newMessage }));
      const session = await store.getSession(key);
      const events = (session?.events ?? []).map(
        (event) => `${event.branch ?? ""} ${brief(event)} ${JSON.stringify(event.resumption ?? {})}`,
      );
      return { events: events.toSorted(), state: session?.state ?? {} };
    }),
  );
}

describe("eight runs on one planner object at the same time", () => {
  const WORLD: Omit<PlanWorld, "kind"> = {
    members: [
      { usesTool: true, escalatesAt: 0, failsAt: 0, reads: [] },
      { usesTool: false, escalatesAt: 3, failsAt: 1, reads: [0] },
      { usesTool: true, escalatesAt: 0, failsAt: 0, reads: [0, 1] },
    ],
    limit: 3,
    decisions: [[0], [], [1, 2], [0, 1, 2]],
    isNested: false,
  };
  // Each session begins with another choice of the agents' outputs.
  const states = Array.from({ length: RUNS }, (_, choice): JsonObject => {
    const present = WORLD.members.flatMap((__, at) => ((choice >> at) & 1 ? [[`member_${at}`, `old ${choice}`]] : []));
    return Object.fromEntries(present);
  });

  it.each(["sequential", "parallel", "loop", "supervisor", "p2p", "goal-oriented"] as const)(
    "have the same events, plans and states as runs on planners of their own: %s",
    async (kind) => {
      verifies("planners:state");
      const create = (): BaseAgent => createPlanner({ ...WORLD, kind }, [], 1);
      const together = await runTogether(create(), states);
      const alone = await Promise.all(states.map(async (state) => (await runTogether(create(), [state]))[0]));
      expect(together).toEqual(alone);
      expect(together).toHaveLength(RUNS);
    },
  );
});
