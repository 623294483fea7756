import { describe, expect, it } from "vitest";
import type { Event } from "#kit/events/event.ts";
import { createPlanner, type ModelCall, type PlanWorld, planWorlds } from "#test/helpers/planners/plan-worlds.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";
import { type Cut, CutWorld } from "#test/helpers/worlds/cut-runs.ts";

interface Outcome {
  readonly status: string | undefined;
  readonly state: unknown;
  /** In order within each branch: agents that run at the same time may be stored in another order. */
  readonly events: readonly string[];
}

interface Execution {
  readonly outcome: Outcome;
  readonly stored: readonly Event[];
  /** The calls of models, for each runner. */
  readonly calls: readonly (readonly ModelCall[])[];
  readonly writes: number;
}

async function execute(world: PlanWorld, cuts: readonly Cut[]): Promise<Execution> {
  const calls: ModelCall[][] = [];
  const runs = new CutWorld(() => {
    const ofAttempt: ModelCall[] = [];
    calls.push(ofAttempt);
    return createPlanner(world, ofAttempt, calls.length);
  });
  const writes = await runs.run("go", cuts);
  const { events, state } = await runs.session();
  const described = events.map((event) => ({ at: event.branch ?? "", what: brief(event) }));
  const inBranches = described.toSorted((a, b) => a.at.localeCompare(b.at)).map(({ at, what }) => `${at} ${what}`);
  const status = (await runs.record())?.status;
  return { outcome: { status, state, events: inBranches }, stored: events, calls, writes };
}

/**
 * Calls whose answers are not stored although the runner still worked after them: an agent makes no call before its
 * answer to the one before is stored, so only its last call before a cut can be lost.
 */
function repeatedCalls({ calls, stored }: Execution): readonly string[] {
  const kept = new Set(stored.map(({ modelVersion }) => modelVersion));
  return calls.flatMap((ofAttempt, attempt) =>
    ofAttempt.flatMap((call, at) => {
      const isLast = !ofAttempt.slice(at + 1).some(({ agentName }) => agentName === call.agentName);
      const wasCut = attempt < calls.length - 1;
      return kept.has(call.id) || (wasCut && isLast) ? [] : [`${call.agentName} ${call.id}`];
    }),
  );
}

describe("a plan that is cut off and continued by other runners", () => {
  const cut: fc.Arbitrary<Cut> = fc.record({
    write: fc.integer({ min: 1, max: 8 }),
    when: fc.constantFrom("before" as const, "after" as const),
  });

  it("ends in the same state as without the cuts, and runs no agent again whose output is stored", async () => {
    verifies("planners:state", "agents:resume");
    await fc.assert(
      fc.asyncProperty(planWorlds, fc.array(cut, { minLength: 1, maxLength: 6 }), async (world, cuts) => {
        const whole = await execute(world, []);
        const cutOff = await execute(world, cuts);
        expect(cutOff.outcome).toEqual(whole.outcome);
        expect([repeatedCalls(whole), repeatedCalls(cutOff)]).toEqual([[], []]);
      }),
      { numRuns: 150 },
    );
  });

  const EXAMPLE: Omit<PlanWorld, "kind" | "isNested"> = {
    members: [
      { usesTool: true, escalatesAt: 0, failsAt: 0, reads: [] },
      { usesTool: false, escalatesAt: 0, failsAt: 1, reads: [0] },
      { usesTool: true, escalatesAt: 3, failsAt: 0, reads: [0, 1] },
    ],
    limit: 3,
    decisions: [[0], [], [1, 2], [0, 1, 2]],
  };

  it.each(["sequential", "parallel", "loop", "supervisor", "p2p", "goal-oriented"] as const)(
    "ends in the same state wherever the cut is: %s",
    async (kind) => {
      verifies("planners:state");
      const world = { ...EXAMPLE, kind, isNested: true };
      const whole = await execute(world, []);
      for (let write = 1; write <= whole.writes; write += 1) {
        for (const when of ["before", "after"] as const) {
          const cutOff = await execute(world, [{ write, when }]);
          expect(cutOff.outcome, `cut ${when} write ${write}`).toEqual(whole.outcome);
          expect(repeatedCalls(cutOff), `cut ${when} write ${write}`).toEqual([]);
        }
      }
    },
  );
});
