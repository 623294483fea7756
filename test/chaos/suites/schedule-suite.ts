import { expect } from "vitest";
import { systemClock } from "#kit/platform/clock.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import type { Episode } from "#test/chaos/episode.ts";
import { eventually } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";

const SCHEDULES = 40;
/** Before the ticks both gateways are there. */
const LEAD_MS = 6_000;
/** The lease of a lost gateway, and two looks of another one. */
const TAKEN_OVER_MS = 60_000;
const HEADERS = { "content-type": "application/json" };

interface Wire {
  readonly id: string;
  readonly nextTime?: number;
  readonly lastTicks: readonly { readonly outcome: string; readonly runId?: string }[];
}

/** F30: schedules, whose gateways are killed. */
export function scheduleSuite(test: FaultTest): void {
  test("F30 gateways killed while they start the runs of forty schedules: each tick starts one run", async (episode) => {
    const { rig, random } = episode;
    const userId = `f30-${random.between(1, 1_000_000)}`;
    const at = toIsoTime(systemClock.now() + LEAD_MS);
    const steps = [{ say: "answer" }];
    const made: Wire[] = [];
    for (let count = 0; count < SCHEDULES; count += 1) {
      const text = JSON.stringify({ tag: `${userId}-${count}`, log: rig.logFile, steps });
      const body = JSON.stringify({ appName: "chaos", userId, at, text, catchUp: "none" });
      const response = await fetch(`${rig.gatewayUrl(count % 2)}/v1/schedules`, {
        method: "POST",
        headers: HEADERS,
        body,
      });
      expect(response.status).toBe(201);
      // The form of the answer is tested by itself.
      made.push((await response.json()) as Wire);
    }
    const runsAt = async (gateway: number) => {
      const response = await fetch(`${rig.gatewayUrl(gateway)}/v1/runs?userId=${userId}&pageSize=1000`);
      return ((await response.json()) as { runs: readonly { runId: string; sessionId: string; status: string }[] })
        .runs;
    };
    const wanted = random.between(1, SCHEDULES / 2);
    await eventually("some runs have started", async () => (await runsAt(1)).length >= wanted, 2 * LEAD_MS);
    await rig.kill("gateway", 0);
    await eventually(
      "all ticks are decided",
      async () => (await ticksOf(episode, made)).every(({ lastTicks }) => lastTicks.length === 1),
      TAKEN_OVER_MS,
    );
    const decided = await ticksOf(episode, made);
    expect(decided.map(({ lastTicks }) => lastTicks.map(({ outcome }) => outcome))).toEqual(
      made.map(() => ["started"]),
    );
    await eventually("all runs have ended", async () =>
      (await runsAt(1)).every(({ status }) => status === "succeeded"),
    );
    const runs = await runsAt(1);
    expect(runs.map(({ runId }) => runId).toSorted()).toEqual(
      decided.flatMap(({ lastTicks }) => lastTicks.map(({ runId = "" }) => runId)).toSorted(),
    );
    expect(new Set(runs.map(({ sessionId }) => sessionId)).size).toBe(SCHEDULES);
  });
}

function ticksOf({ rig }: Episode, made: readonly Wire[]): Promise<readonly Wire[]> {
  return Promise.all(
    made.map(async ({ id }) => {
      const response = await fetch(`${rig.gatewayUrl(1)}/v1/schedules/${id}`);
      return (await response.json()) as Wire;
    }),
  );
}
