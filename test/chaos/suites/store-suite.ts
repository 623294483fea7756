import { Redis } from "ioredis";
import { expect } from "vitest";
import { type ChaosClient, endOf, errorOf } from "#test/chaos/chaos-client.ts";
import type { Observation } from "#test/chaos/checks/recorder.ts";
import type { Episode } from "#test/chaos/episode.ts";
import type { ChaosRig } from "#test/chaos/rig/rig.ts";
import { type ChaosStore, type Edge, isDatabase, LEASE_MS } from "#test/chaos/rig/rig-options.ts";
import { eventually, pauseFor } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";
import type { LinkFault } from "#tooling/processes/fault-proxy.ts";

const ANSWER = [{ call: [{ name: "append_again" }] }, { say: "answer", chunks: 20, pauseMs: 50 }] as const;
const SHORT = [{ say: "short" }] as const;
/** Allowed answers while a store is unavailable; never 500. */
const REFUSALS = [503, 504, 409, 429];

/** Ways in which Redis answers but accepts no writes, and how each ends. */
const UNWRITABLE: readonly {
  readonly name: string;
  readonly on: (redis: Redis) => Promise<unknown>;
  readonly off: (redis: Redis) => Promise<unknown>;
}[] = [
  {
    name: "full",
    on: (redis) => redis.config("SET", "maxmemory", "1"),
    off: (redis) => redis.config("SET", "maxmemory", "0"),
  },
  { name: "read-only", on: (redis) => redis.replicaof("127.0.0.1", 1), off: (redis) => redis.replicaof("NO", "ONE") },
];

/** F5 and F6: Redis is lost, or refuses writes. */
export function redisSuite(test: FaultTest): void {
  transportSuite(test, "Redis");
  test("F5 Redis comes up empty while runs stream: their answers arrive, and no run starts twice", async (episode) => {
    const { rig, random } = episode;
    const ada = episode.client();
    const runs = await Promise.all([0, 1, 0, 1].map((gateway) => startAnswer(ada, gateway)));
    await pauseFor(random.between(100, 500));
    await rig.restartRedis(random.between(0, 400));
    const direct = await ada.runUntilAnswered(await ada.createSession(), SHORT);
    await Promise.all(runs.map(({ reading }) => reading));
    expect(direct.status).toBe(200);
    await expectOnce(episode, runs);
  });

  test("F5b Redis flaps: runs end as if it had not", async (episode) => {
    const { rig, random } = episode;
    const ada = episode.client();
    const runs = await Promise.all([0, 1].map((gateway) => startAnswer(ada, gateway)));
    for (let flap = 0; flap < 3; flap += 1) {
      await rig.restartRedis(random.between(50, 500));
      await pauseFor(random.between(100, 500));
    }
    await Promise.all(runs.map(({ reading }) => reading));
    await expectOnce(episode, runs);
  });

  for (const { name, on, off } of UNWRITABLE) {
    test(`F6${name} Redis takes no writes (${name}): runs still answer`, async (episode) => {
      const { rig } = episode;
      const ada = episode.client();
      const redis = new Redis(rig.redis.url);
      try {
        const before = await startAnswer(ada, 0);
        await on(redis);
        rig.faults.add(`redis ${name}`);
        const direct = await ada.runUntilAnswered(await ada.createSession(), SHORT);
        expect(direct.status).toBe(200);
        await off(redis);
        await before.reading;
        await expectOnce(episode, [before]);
      } finally {
        await off(redis);
        redis.disconnect();
      }
    });
  }
}

/** F5c and F6 for what carries the streams, Redis or Postgres: its connections break, or lead nowhere. */
export function transportSuite(test: FaultTest, name: string): void {
  test(`F5c the connections to ${name} break again and again: readers fill their gaps`, async (episode) => {
    const { rig, random } = episode;
    const ada = episode.client();
    const runs = await Promise.all([0, 1].map((gateway) => startAnswer(ada, gateway)));
    for (let cut = 0; cut < 8; cut += 1) {
      rig.reset(random.pick(["gateway-transport", "runner-transport"]));
      await pauseFor(random.between(20, 200));
    }
    await Promise.all(runs.map(({ reading }) => reading));
    await expectOnce(episode, runs);
  });

  for (const fault of [
    { kind: "latency", ms: 500 },
    { kind: "half-open" },
    { kind: "drop" },
    { kind: "refuse" },
  ] satisfies readonly LinkFault[]) {
    test(`F6${fault.kind} ${name} cannot be used (${fault.kind}): runs still answer`, async (episode) => {
      const { rig } = episode;
      const ada = episode.client();
      const before = await startAnswer(ada, 0);
      for (const edge of ["gateway-transport", "runner-transport"] as const) {
        rig.disturb(edge, fault);
        if (fault.kind === "refuse") rig.reset(edge);
      }
      const direct = await ada.runUntilAnswered(await ada.createSession(), SHORT);
      expect(direct.status).toBe(200);
      for (const edge of ["gateway-transport", "runner-transport"] as const) rig.heal(edge);
      await before.reading;
      await expectOnce(episode, [before]);
    });
  }
}

/** Longer than a lease, so that a run that cannot store has to be given up. */
const AWAY_MS = 1.5 * LEASE_MS;
const LONG_ANSWER = [{ say: "long answer", chunks: 45, pauseMs: 100 }] as const;

/**
 * F7: the store is slow or unavailable. A restarted emulator is empty, so the database is frozen, and its link gets
 * faults, instead of a restart.
 */
export function storeSuite(test: FaultTest, store: ChaosStore): void {
  const edge = isDatabase(store) ? "to-database" : "runner-session";
  for (const fault of [
    { kind: "latency", ms: 300 },
    { kind: "slices", bytes: 7 },
    { kind: "refuse" },
    { kind: "drop" },
    { kind: "half-open" },
  ] satisfies readonly LinkFault[]) {
    test(`F7${fault.kind} the store's link is bad (${fault.kind}): what is acknowledged is stored, and nothing is stored in part`, async (episode) => {
      const { rig, random } = episode;
      const ada = episode.client();
      const sessions = [await ada.createSession(), await ada.createSession(), await ada.createSession()];
      const running = await startAnswer(ada, 0);
      rig.disturb(edge, fault);
      if (fault.kind === "refuse") rig.reset(edge);
      const burst = Promise.all(sessions.map((session, index) => ada.run(session, SHORT, { gateway: index })));
      await pauseFor(random.between(500, 1500));
      rig.heal(edge);
      const statuses = (await burst).map(({ status, reason }) => `${status} ${reason ?? ""}`);
      expect(
        statuses.filter((status) => !/^200 /.test(status) && !REFUSALS.includes(Number(status.slice(0, 3)))),
      ).toEqual([]);
      await running.reading;
      expect([endOf(running.observation), errorOf(running.observation)]).toEqual(["succeeded", undefined]);
    });
  }

  const ways: readonly (readonly [
    string,
    string,
    (rig: ChaosRig) => void | Promise<void>,
    (rig: ChaosRig) => void | Promise<void>,
  ])[] = [
    ["killed", "session services", killSessions, (rig) => rig.startAll()],
    ["cut", "the link", (rig) => cutLink(rig, edge), (rig) => rig.heal(edge)],
    isDatabase(store)
      ? ["frozen", "the database", (rig) => rig.freezeDatabase(), (rig) => rig.thawDatabase()]
      : ["frozen", "the session service", (rig) => rig.freeze("session", 0), (rig) => rig.place("session", 0).thaw()],
  ];
  for (const [how, what, leave, comeBack] of ways) {
    test(`F7${how} a store that is unavailable for one and a half leases (${what} ${how}): its run is given up, recovered and answers once`, async (episode) => {
      const { rig } = episode;
      const ada = episode.client();
      const session = await ada.createSession();
      const observation = await ada.background(session, LONG_ANSWER);
      const reading = ada.follow(observation, 1);
      await eventually("its model speaks", () => observation.frames.filter(({ kind }) => kind === "event").length > 1);
      await leave(rig);
      await pauseFor(AWAY_MS);
      // Before its lease can have expired, whether or not the store is back.
      expect(episode.logOf(observation.tag).filter((line) => line.includes(" abort "))).toHaveLength(1);
      await comeBack(rig);
      await reading;
      expect([endOf(observation), errorOf(observation)]).toEqual(["succeeded", undefined]);
      const { events, runs } = await episode.stored(session);
      expect(runs).toMatchObject([{ status: "succeeded", attempts: 2 }]);
      expect(events.filter(({ json }) => json.includes('"text":"long answer:'))).toHaveLength(1);
      expect(events.filter(({ json }) => json.includes('"errorCode"'))).toEqual([]);
    });
  }

  test("F7b the store's connections break in bursts while messages come: each is answered once", async (episode) => {
    const { rig, random } = episode;
    const ada = episode.client();
    const sessions = await Promise.all(Array.from({ length: 4 }, () => ada.createSession()));
    const talks = sessions.map(async (session) => {
      const answers: Observation[] = [];
      for (let turn = 0; turn < 4; turn += 1)
        answers.push(await ada.runUntilAnswered(session, SHORT, { gateway: turn }));
      return answers.map(({ status }) => status);
    });
    for (let cut = 0; cut < 6; cut += 1) {
      rig.reset(edge);
      await pauseFor(random.between(30, 250));
    }
    expect(await Promise.all(talks)).toEqual(sessions.map(() => [200, 200, 200, 200]));
  });
}

async function killSessions(rig: ChaosRig): Promise<void> {
  for (const [index] of rig.replicas("session").entries()) await rig.kill("session", index);
}

function cutLink(rig: ChaosRig, edge: Edge): void {
  rig.disturb(edge, { kind: "refuse" });
  rig.reset(edge);
}

async function startAnswer(client: ChaosClient, gateway: number) {
  const session = await client.createSession();
  const observation = await client.background(session, ANSWER, { gateway });
  const reading = client.follow(observation, gateway);
  await eventually("a frame", () => observation.frames.length > 1 || observation.endedAt !== undefined);
  return { observation, reading };
}

/** Each run succeeded at its first attempt, and its model was called exactly as often as its script says. */
async function expectOnce(episode: Episode, runs: readonly { readonly observation: Observation }[]): Promise<void> {
  for (const { observation } of runs) {
    expect([endOf(observation), errorOf(observation)]).toEqual(["succeeded", undefined]);
    const { runs: records } = await episode.stored(observation.session);
    expect(records.map(({ status, attempts }) => [status, attempts])).toEqual([["succeeded", 1]]);
    expect(episode.logOf(observation.tag).filter((line) => line.includes(" model "))).toHaveLength(ANSWER.length);
  }
}
