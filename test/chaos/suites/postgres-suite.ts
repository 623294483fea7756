import { expect } from "vitest";
import { type ChaosClient, endOf } from "#test/chaos/chaos-client.ts";
import { memoriesOf } from "#test/chaos/checks/open-store.ts";
import type { Observation } from "#test/chaos/checks/recorder.ts";
import type { Episode } from "#test/chaos/episode.ts";
import { EvalClient } from "#test/chaos/eval-client.ts";
import { injectFaults } from "#test/chaos/random-faults.ts";
import { keepAsking } from "#test/chaos/random-load.ts";
import { failOverPostgres, killPostgres, restartPostgres, useUpPostgres } from "#test/chaos/rig/postgres-faults.ts";
import { LEASE_MS } from "#test/chaos/rig/rig-options.ts";
import { eventually, pauseFor } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";
import type { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { verifies } from "#test/helpers/verifies.ts";

const ANSWER = [
  { call: [{ name: "count" }, { name: "append_again" }] },
  { say: "answer", chunks: 20, pauseMs: 50 },
] as const;
const SHORT = [{ say: "short" }] as const;
const TURNS = 6;
/** Longer than a lease, so that a run that cannot store has to be given up. */
const AWAY_MS = 1.5 * LEASE_MS;

type Fault = (episode: Episode, random: SeededRandom) => Promise<void>;

const FAULTS: readonly (readonly [name: string, what: string, fault: Fault])[] = [
  [
    "P1",
    "killed three times, and started again",
    async ({ rig }, random) => {
      for (let kills = 0; kills < 3; kills += 1) {
        await killPostgres(rig, random.between(0, 500));
        await pauseFor(random.between(200, 1000));
      }
    },
  ],
  ["P1b", "killed, and away for one and a half leases", ({ rig }) => killPostgres(rig, AWAY_MS)],
  [
    "P2",
    "restarted twice in good order",
    async ({ rig }, random) => {
      for (let restarts = 0; restarts < 2; restarts += 1) {
        await restartPostgres(rig, random.between(0, 500));
        await pauseFor(random.between(200, 1000));
      }
    },
  ],
  ["P3", "out of connections for a second", ({ rig }) => useUpPostgres(rig, 1000)],
  ["P3b", "out of connections for one and a half leases", ({ rig }) => useUpPostgres(rig, AWAY_MS)],
  [
    "P4",
    "failed over to its standby, whose address moves a moment later",
    ({ rig }, random) => failOverPostgres(rig, random.between(0, 1000)),
  ],
];

/** P1 to P5: Postgres is lost under load. */
export function postgresSuite(test: FaultTest, { randomMs }: { readonly randomMs: number }): void {
  for (const [name, what, fault] of FAULTS) {
    test(`${name} Postgres is ${what}: every message is answered once, and what is acknowledged is stored`, async (episode) => {
      verifies("postgres:chaos");
      const random = episode.random.fork("fault");
      const [ada, bob] = [episode.client("ada"), episode.client("bob")];
      const runs = await Promise.all([0, 1].map((gateway) => startAnswer(ada, gateway)));
      const talks = [0, 1, 2].map((gateway) => talk(bob, gateway));
      await pauseFor(random.between(100, 500));
      await fault(episode, random);
      await Promise.all(runs.map(({ reading }) => reading));
      expect(await Promise.all(talks)).toEqual(talks.map(() => Array.from({ length: TURNS }, () => 200)));
      for (const { observation } of runs) {
        expect([endOf(observation), lastErrorOf(observation)]).toEqual(["succeeded", undefined]);
        const { events, runs: records } = await episode.stored(observation.session);
        expect(records.map(({ status }) => status)).toEqual(["succeeded"]);
        expect(events.filter(({ json }) => json.includes('"text":"answer:'))).toHaveLength(1);
        expect(events.filter(({ json }) => json.includes('"errorCode"'))).toEqual([]);
      }
    });
  }

  test(
    `P5 Postgres, Redis and services are lost in any order for ${randomMs / 1000} s: what is acknowledged is stored, once`,
    async (episode) => {
      verifies("postgres:chaos");
      const signal = AbortSignal.timeout(randomMs);
      const asking = ["ada", "bob", "eve"].map((name) =>
        keepAsking(episode.client(name), episode.random.fork(name), signal),
      );
      await injectFaults(episode, signal);
      await episode.rig.restore();
      const answered = (await Promise.all(asking)).reduce((sum, count) => sum + count, 0);
      expect(answered).toBeGreaterThan(0);
    },
    randomMs + 240_000,
  );

  test("P6 memory and evaluation sets whose storage is acknowledged while Postgres is lost are found, once", async (episode) => {
    verifies("postgres:chaos");
    const { rig, random } = episode;
    const [ada, evaluator] = [episode.client(), new EvalClient(rig)];
    const session = await ada.createSession();
    await ada.runUntilAnswered(session, [{ say: "apricots" }]);
    let isOver = false;
    const sets: string[] = [];
    const write = async () => {
      for (let n = 0; !isOver || n < 3; n += 1) {
        const evalSetId = `p6-${n}`;
        await evaluator.create("/apps/chaos/eval-sets", { evalSet: { evalSetId, evalCases: [] } });
        sets.push(evalSetId);
        await ada.remember(session);
      }
    };
    const writing = write();
    await killPostgres(rig, random.between(0, 500));
    await failOverPostgres(rig, random.between(0, 500));
    isOver = true;
    await writing;
    const said = (await episode.stored(session)).events.map(({ author }) => author);
    const found = await memoriesOf(rig, session, "apricots");
    expect(found.map(({ author }) => author).sort()).toEqual(said.sort());
    for (const evalSetId of sets) expect((await ada.get(`/apps/chaos/eval-sets/${evalSetId}`)).status).toBe(200);
  });
}

/** The failure of the run. A reader that needs the store while it is lost gets an error too, and connects again. */
function lastErrorOf({ frames }: Observation): string | undefined {
  const newest = frames.findLast(({ kind }) => ["error", "attempt", "connect"].includes(kind));
  return newest?.kind === "error" ? newest.reason : undefined;
}

/** Messages of one session, one after another, each repeated until it is answered. */
async function talk(client: ChaosClient, gateway: number): Promise<readonly (number | undefined)[]> {
  const session = await client.createSession();
  const statuses: (number | undefined)[] = [];
  for (let turn = 0; turn < TURNS; turn += 1)
    statuses.push((await client.runUntilAnswered(session, SHORT, { gateway: gateway + turn })).status);
  return statuses;
}

async function startAnswer(client: ChaosClient, gateway: number) {
  const session = await client.createSession();
  const observation = await client.background(session, ANSWER, { gateway });
  const reading = client.follow(observation, gateway);
  await eventually("a frame", () => observation.frames.length > 1 || observation.endedAt !== undefined);
  return { observation, reading };
}
