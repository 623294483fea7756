import { expect } from "vitest";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type ChaosClient, endOf } from "#test/chaos/chaos-client.ts";
import type { Observation } from "#test/chaos/checks/recorder.ts";
import type { Episode } from "#test/chaos/episode.ts";
import type { ChaosRig } from "#test/chaos/rig/rig.ts";
import { eventually, pauseFor } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";

const LIMIT = 3;
const STALL = [{ stall: 1 }] as const;
const SHORT = [{ say: "short" }] as const;
const BUSY = "429 RUNNER_BUSY";
/** While Redis is unavailable, runs are counted by their records, and the count may be a second old. */
const COUNT_AGE_MS = 1000;

/** What two runners have to agree on through Redis: limits on runs, and cancellations. */
export function limitsSuite(test: FaultTest): void {
  test("L1 a user's runs are limited over both runners, whichever gateway is asked; others are not touched", async (episode) => {
    const [ada, bob] = [episode.client("ada"), episode.client("bob")];
    const first = await onEachRunner(episode, ada);
    const [third, refused] = await fill(episode, ada, 8);
    expect([third.length, refused]).toEqual([LIMIT - 2, Array.from({ length: 7 }, () => BUSY)]);
    expect((await bob.run(await bob.createSession(), SHORT)).status).toBe(200);
    await cancelAll(episode, ada, [...first, ...third]);
    expect((await ada.runUntilAnswered(await ada.createSession(), SHORT)).status).toBe(200);
  });

  test("L1b the limit holds when Redis comes up empty, and while it is unavailable", async (episode) => {
    const { rig } = episode;
    const ada = episode.client();
    const running: Observation[] = [];
    for (let index = 0; index < LIMIT; index += 1) running.push(await start(ada, await ada.createSession(), index));
    await pauseFor(COUNT_AGE_MS);
    await rig.restartRedis(0);
    expect((await fill(episode, ada, 4))[1]).toEqual([BUSY, BUSY, BUSY, BUSY]);
    rig.disturb("runner-transport", { kind: "refuse" });
    rig.reset("runner-transport");
    expect((await fill(episode, ada, 4))[1]).toEqual([BUSY, BUSY, BUSY, BUSY]);
    rig.heal("runner-transport");
    await cancelAll(episode, ada, running);
  });

  test("L1c a message that waits for its session gets the place of the run before it, on another runner too", async (episode) => {
    const ada = episode.client();
    const session = await ada.createSession();
    const first = await start(ada, session, 0);
    const waiting = await ada.background(session, SHORT, { gateway: 1 });
    const others = [await start(ada, await ada.createSession(), 0), await start(ada, await ada.createSession(), 1)];
    await ada.cancel(first.runId ?? "");
    await ada.follow(waiting);
    expect(endOf(waiting)).toBe("succeeded");
    await cancelAll(episode, ada, others);
  });

  test("L2 a run is cancelled when the other runner is asked", async (episode) => {
    const { rig } = episode;
    const ada = episode.client();
    for (const gateway of [0, 1]) {
      const observation = await start(ada, await ada.createSession(), gateway);
      await eventually("its model is asked", () => episode.logOf(observation.tag).length > 0);
      await onlyReach(rig, 1 - episode.runnerOf(observation.tag));
      expect(await ada.cancel(observation.runId ?? "", gateway)).toBe(200);
      await eventually("the model's call is aborted", () => isAborted(episode, observation.tag));
      rig.heal("gateway-runner");
      await ada.follow(observation);
      expect(endOf(observation)).toBe("cancelled");
    }
  });
}

async function start(client: ChaosClient, session: SessionKey, gateway: number) {
  return client.background(session, STALL, { gateway });
}

/** One run that does not end on each runner. */
async function onEachRunner(episode: Episode, client: ChaosClient) {
  const runs: Observation[] = [];
  for (const runner of [0, 1]) {
    await onlyReach(episode.rig, runner);
    const observation = await start(client, await client.createSession(), runner);
    await eventually("its model is asked", () => episode.runnerOf(observation.tag) === runner);
    runs.push(observation);
    episode.rig.heal("gateway-runner");
  }
  return runs;
}

/** Starts so many concurrent runs that do not end, at both gateways; returns the accepted ones and the refusals. */
async function fill(episode: Episode, client: ChaosClient, count: number) {
  const sessions = await Promise.all(Array.from({ length: count }, () => client.createSession()));
  const tries = await Promise.all(
    sessions.map((session, index) => client.backgroundOnce(session, STALL, { gateway: index })),
  );
  const running = tries.filter(({ runId }) => runId !== undefined);
  for (const { tag } of running) await eventually("its model is asked", () => episode.logOf(tag).length > 0);
  const refused = tries.filter(({ runId }) => runId === undefined).map(({ status, reason }) => `${status} ${reason}`);
  return [running, refused] as const;
}

/** Repeats the request until the condition holds: the other runner gets no notification until Redis is back. */
async function cancelAll(
  episode: Episode,
  client: ChaosClient,
  runs: readonly { readonly runId?: string; readonly tag: string }[],
): Promise<void> {
  for (const { runId, tag } of runs) {
    await eventually("a run is cancelled", async () => {
      expect(await client.cancel(runId ?? "")).toBe(200);
      return isAborted(episode, tag);
    });
  }
}

function isAborted(episode: Episode, tag: string): boolean {
  return episode.logOf(tag).some((line) => line.includes(" abort "));
}

/** Makes gateways find only that runner. */
async function onlyReach(rig: ChaosRig, runner: number): Promise<void> {
  rig.disturb("gateway-runner", { kind: "refuse" }, 1 - runner);
  rig.reset("gateway-runner", 1 - runner);
}
