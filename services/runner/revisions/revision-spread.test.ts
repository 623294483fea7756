import { describe, expect, it, vi } from "vitest";
import { RevisionWorld } from "#test/helpers/runners/revision-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { chooseShare } from "./revision-spread.ts";

const settled = { timeout: 10_000, interval: 50 };

type Runner = ReturnType<RevisionWorld["runner"]>;

/** The versions that answer many new sessions on a runner. */
async function versionsOf(world: RevisionWorld, runner: Runner, sessions = 12): Promise<ReadonlySet<string>> {
  const answers = new Set<string>();
  for (let count = 0; count < sessions; count += 1) answers.add(await world.answer(runner));
  return answers;
}

function runnerOf(world: RevisionWorld, weights: Readonly<Record<string, number>>): Runner {
  const [first = "", ...others] = Object.keys(weights);
  const runner = world.runner(first);
  for (const version of others) runner.loader.load(version);
  runner.loader.share(weights);
  return runner;
}

describe("versions of an app that an index lists", { timeout: 30_000 }, () => {
  it("share the new sessions, each of which gets the same one on every runner and stays on it", async () => {
    verifies("platform:agent-revision:shares");
    await using world = new RevisionWorld();
    const weights = { v2: 50, v1: 50 };
    const runners = [runnerOf(world, weights), runnerOf(world, weights)] as const;
    const sessions = Array.from({ length: 12 }, () => world.newSession());
    const first = [];
    for (const [index, id] of sessions.entries()) first.push(await world.answer(runners[index % 2 === 0 ? 0 : 1], id));
    expect(new Set(first)).toEqual(new Set(["v1", "v2"]));
    for (const { loader } of runners) loader.share({ v2: 100, v1: 0 });
    await vi.waitFor(async () => expect(await versionsOf(world, runners[0])).toEqual(new Set(["v2"])), settled);
    await vi.waitFor(async () => expect(await versionsOf(world, runners[1])).toEqual(new Set(["v2"])), settled);
    const again = [];
    for (const [index, id] of sessions.entries()) again.push(await world.answer(runners[index % 2 === 0 ? 1 : 0], id));
    expect(again).toEqual(first);
  });

  it("lose their sessions when they are retired: each moves with its next turn, once", async () => {
    verifies("platform:agent-revision:shares");
    await using world = new RevisionWorld({ isAlone: true });
    const runner = runnerOf(world, { v1: 1 });
    const session = world.newSession();
    expect(await world.answer(runner, session)).toBe("v1");
    runner.loader.load("v2");
    runner.loader.share({ v2: 1, v1: 0 }, ["v1"]);
    await vi.waitFor(async () => expect(await world.answer(runner)).toBe("v2"), settled);
    expect([await world.answer(runner, session), await world.answer(runner, session)]).toEqual(["v2", "v2"]);
    expect(await world.texts(session)).toEqual(["hi", "v1", "hi", "v1 > v2", "v2", "hi", "v2"]);
  });

  it("get no session before all runners have loaded them", async () => {
    await using world = new RevisionWorld();
    const [one, two] = [runnerOf(world, { v1: 1 }), runnerOf(world, { v1: 1 })];
    expect([await world.answer(one), await world.answer(two)]).toEqual(["v1", "v1"]);
    one.loader.load("v2");
    one.loader.share({ v2: 1, v1: 0 });
    for (let turn = 0; turn < 20; turn += 1) {
      expect(await world.answer(one)).toBe("v1");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    two.loader.load("v2");
    two.loader.share({ v2: 1, v1: 0 });
    await vi.waitFor(async () => expect(await world.answer(one)).toBe("v2"), settled);
    await vi.waitFor(async () => expect(await world.answer(two)).toBe("v2"), settled);
  });

  it("get no session while they cannot be loaded, from the start and later, and get theirs when they can", async () => {
    await using world = new RevisionWorld({ isAlone: true });
    const runner = runnerOf(world, { v2: 50, v1: 50 });
    runner.loader.broken.add("v2");
    expect(await versionsOf(world, runner)).toEqual(new Set(["v1"]));
    runner.loader.broken.clear();
    await vi.waitFor(async () => expect(await versionsOf(world, runner)).toEqual(new Set(["v1", "v2"])), settled);
    runner.loader.load("v3");
    runner.loader.broken.add("v3");
    runner.loader.share({ v3: 100, v1: 0 });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await versionsOf(world, runner)).toEqual(new Set(["v1", "v2"]));
  });

  it("are shown with the weights that are used", async () => {
    await using world = new RevisionWorld({ isAlone: true });
    const runner = runnerOf(world, { v2: 10, v1: 90 });
    await world.answer(runner);
    const shares = [
      { agentRevision: "v2", weight: 10 },
      { agentRevision: "v1", weight: 90 },
    ];
    expect(await runner.service.readApps()).toEqual([{ name: "shop", agentRevision: expect.any(String), shares }]);
  });
});

const SESSIONS = Array.from({ length: 10_000 }, (_, index) => `session ${index}`);

function sharesOf(weights: readonly number[]) {
  return weights.map((weight, index) => ({ agentRevision: `v${index}`, weight, isRetired: false }));
}

function countsOf(weights: readonly number[]): readonly number[] {
  const chosen = SESSIONS.map((id) => chooseShare(sharesOf(weights), id)?.agentRevision);
  return weights.map((_, index) => chosen.filter((name) => name === `v${index}`).length);
}

it("gives each version about its weight of the sessions, and the same one each time", () => {
  for (const weights of [[1], [50, 50], [10, 90], [1, 0, 3], [333, 333, 334]]) {
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const counts = countsOf(weights);
    expect(countsOf(weights)).toEqual(counts);
    for (const [index, weight] of weights.entries()) {
      const expected = (SESSIONS.length * weight) / sum;
      expect(Math.abs((counts[index] ?? 0) - expected)).toBeLessThanOrEqual(5 * Math.sqrt(expected));
    }
  }
});

it("takes no session from a new version whose weight is raised", () => {
  const before = SESSIONS.filter((id) => chooseShare(sharesOf([10, 90]), id)?.agentRevision === "v0");
  const after = new Set(SESSIONS.filter((id) => chooseShare(sharesOf([50, 50]), id)?.agentRevision === "v0"));
  expect(before.filter((id) => !after.has(id))).toEqual([]);
});

it("chooses nothing without weights", () => {
  expect(chooseShare([], "a")).toBeUndefined();
  expect(chooseShare(sharesOf([0, 0]), "a")).toBeUndefined();
});
