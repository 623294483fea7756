import { describe, expect, it, vi } from "vitest";
import { RevisionWorld } from "#test/helpers/runners/revision-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";

const settled = { timeout: 10_000, interval: 20 };

describe("a changed app on several runners", { timeout: 30_000 }, () => {
  it("is used by none of them before all have loaded it, and then by all", async () => {
    verifies("platform:agent-revision:together");
    await using world = new RevisionWorld();
    const [one, two] = [world.runner("v1"), world.runner("v1")];
    expect([await world.answer(one), await world.answer(two)]).toEqual(["v1", "v1"]);
    one.loader.load("v2");
    const during: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      during.push(await world.answer(one), await world.answer(two));
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(new Set(during)).toEqual(new Set(["v1"]));
    two.loader.load("v2");
    await vi.waitFor(async () => expect(await world.answer(two)).toBe("v2"), settled);
    const after = [await world.answer(one), await world.answer(two), await world.answer(one), await world.answer(two)];
    expect(after).toEqual(["v2", "v2", "v2", "v2"]);
  });

  it("is looked for by a runner that is asked for it, before its next check", async () => {
    await using world = new RevisionWorld();
    const [one, two] = [world.runner("v1"), world.runner("v1")];
    await world.answer(one);
    await world.answer(two);
    two.loader.files = "v2";
    one.loader.load("v2");
    await vi.waitFor(async () => expect(await world.answer(one)).toBe("v2"), settled);
    expect(two.loader.versions[0]?.agentRevision).toBe("v2");
  });

  it("does not wait for a lost runner, nor for longer than AGENT_REVISION_SETTLE_MS for one that lacks it", async () => {
    await using world = new RevisionWorld();
    const limited = { AGENT_REVISION_SETTLE_MS: "0" };
    const [one, two, three] = [world.runner("v1"), world.runner("v1"), world.runner("v1", limited)];
    for (const runner of [one, two, three]) await world.answer(runner);
    two.die();
    for (const runner of [one, three]) runner.loader.load("v2");
    await vi.waitFor(async () => expect(await world.answer(one)).toBe("v2"), settled);
    three.loader.load("v3");
    await vi.waitFor(async () => expect(await world.answer(three)).toBe("v3"), settled);
    expect(await world.answer(one)).toBe("v2");
  });

  it("moves a session with its first turn afterwards, once, with an event that no model sees", async () => {
    verifies("platform:agent-revision:session");
    await using world = new RevisionWorld();
    const [one, two] = [world.runner("v1"), world.runner("v1")];
    const session = world.newSession();
    expect([await world.answer(one, session), await world.answer(two, session)]).toEqual(["v1", "v1"]);
    for (const { loader } of [one, two]) loader.load("v2");
    await vi.waitFor(async () => expect(await world.answer(one)).toBe("v2"), settled);
    await vi.waitFor(async () => expect(await world.answer(two)).toBe("v2"), settled);
    expect([await world.answer(two, session), await world.answer(one, session)]).toEqual(["v2", "v2"]);
    expect(await world.texts(session)).toEqual(["hi", "v1", "hi", "v1", "hi", "v1 > v2", "v2", "hi", "v2"]);
  });

  it("is used immediately by a runner without others", async () => {
    await using world = new RevisionWorld({ isAlone: true });
    const one = world.runner("v1");
    const session = world.newSession();
    expect(await world.answer(one, session)).toBe("v1");
    one.loader.load("v2");
    expect([await world.answer(one), await world.answer(one, session)]).toEqual(["v2", "v2"]);
    expect(await world.texts(session)).toEqual(["hi", "v1", "hi", "v1 > v2", "v2"]);
  });
});

describe("a session on a version that only another runner has", () => {
  it("has its turn there, and stays there while that runner lives", async () => {
    verifies("platform:agent-revision:session");
    await using world = new RevisionWorld();
    const [old, fresh] = [world.runner("v1"), world.runner("v2")];
    const [session, newer] = [world.newSession(), world.newSession()];
    expect([await world.answer(old, session), await world.answer(fresh, newer)]).toEqual(["v1", "v2"]);
    const turns: string[] = [];
    for (let turn = 0; turn < 3; turn += 1)
      turns.push(await world.answer(fresh, session), await world.answer(old, newer));
    expect(turns).toEqual(["v1", "v2", "v1", "v2", "v1", "v2"]);
    old.die();
    await new Promise((resolve) => setTimeout(resolve, 5));
    world.clock.advance(20_000);
    expect([await world.answer(fresh, session), await world.answer(fresh, newer)]).toEqual(["v2", "v2"]);
    expect((await world.texts(session)).filter((text) => text.includes(">"))).toEqual(["v1 > v2"]);
    expect((await world.texts(newer)).filter((text) => text.includes(">"))).toEqual([]);
  });

  it("costs one notification for each turn that is left, however many runners lack the version", async () => {
    await using world = new RevisionWorld();
    const sent: string[] = [];
    using _ = world.notifications?.onNotify(({ kind }) => void sent.push(kind)) ?? { [Symbol.dispose]: () => {} };
    const old = world.runner("v1");
    const fresh = [world.runner("v2"), world.runner("v2"), world.runner("v2")];
    const session = world.newSession();
    await world.answer(old, session);
    for (const runner of fresh) expect(await world.answer(runner, session)).toBe("v1");
    expect(sent.filter((kind) => kind === "available")).toHaveLength(3);
  });

  it("waits there for its turn when the run ahead ends on another version", async () => {
    await using world = new RevisionWorld();
    const held = heldStep("v1");
    const [old, fresh] = [world.runner("v1", {}, [held.step, "v1"]), world.runner("v2")];
    const session = world.newSession();
    const first = await old.start(session);
    await held.begun;
    const second = await fresh.start(session);
    held.release();
    expect([await world.ended(first), await world.ended(second)]).toEqual([
      { status: "succeeded", on: "v1", attempts: 1 },
      { status: "succeeded", on: "v1", attempts: 1 },
    ]);
  });
});

describe("a run that has lost its runner", () => {
  /** A run that began on v1, whose runner is killed while its model answers. */
  async function loseRun(world: RevisionWorld) {
    const held = heldStep("never");
    const lost = world.runner("v1", {}, [held.step]);
    const session = world.newSession();
    const runId = await lost.start(session);
    await held.begun;
    lost.die();
    world.clock.advance(2_000);
    return { runId, session };
  }

  it("ends on the version on which it began, on a runner that has it, also beside the newest", async () => {
    verifies("platform:agent-revision:run");
    await using world = new RevisionWorld();
    const { runId, session } = await loseRun(world);
    const [fresh, both] = [world.runner("v2"), world.runner("v1")];
    both.loader.load("v2");
    expect(await fresh.reaper.look()).toBe(0);
    expect(await both.reaper.look()).toBe(1);
    expect(await world.ended(runId)).toEqual({ status: "succeeded", on: "v1", attempts: 2 });
    expect(await world.texts(session)).toEqual(["hi", "v1"]);
  });

  it("waits, and then continues with the present version, with an event that says so", async () => {
    verifies("platform:agent-revision:run");
    await using world = new RevisionWorld();
    const { runId, session } = await loseRun(world);
    const fresh = world.runner("v2", { AGENT_REVISION_WAIT_MS: "3000" });
    expect(await fresh.reaper.look()).toBe(0);
    world.clock.advance(2_999);
    expect(await fresh.reaper.look()).toBe(0);
    world.clock.advance(1);
    expect(await fresh.reaper.look()).toBe(1);
    expect(await world.ended(runId)).toEqual({ status: "succeeded", on: "v2", attempts: 2 });
    expect(await world.texts(session)).toEqual(["hi", "v1 > v2", "v2"]);
    expect(await world.answer(fresh, session)).toBe("v2");
  });

  it("fails where AGENT_REVISION_POLICY says so, and frees its session", async () => {
    verifies("platform:agent-revision:run");
    await using world = new RevisionWorld();
    const { runId, session } = await loseRun(world);
    const fresh = world.runner("v2", { AGENT_REVISION_WAIT_MS: "3000", AGENT_REVISION_POLICY: "fail" });
    expect(await fresh.reaper.look()).toBe(0);
    world.clock.advance(3_000);
    expect(await fresh.reaper.look()).toBe(0);
    expect(await world.store.get(runId)).toMatchObject({
      status: "failed",
      error: { reason: "AGENT_REVISION_UNAVAILABLE" },
    });
    expect(await world.texts(session)).toEqual(["hi", "AGENT_REVISION_UNAVAILABLE"]);
    expect(await world.answer(fresh, session)).toBe("v2");
  });

  it("does not wait on a runner without others", async () => {
    await using world = new RevisionWorld({ isAlone: true });
    const { runId, session } = await loseRun(world);
    const fresh = world.runner("v2");
    expect(await fresh.reaper.look()).toBe(1);
    expect(await world.ended(runId)).toMatchObject({ status: "succeeded", on: "v2" });
    expect(await world.texts(session)).toEqual(["hi", "v1 > v2", "v2"]);
  });

  it("is handed over to a runner that has its version", async () => {
    await using world = new RevisionWorld();
    const held = heldStep("never");
    const [leaving, fresh, old] = [world.runner("v1", {}, [held.step]), world.runner("v2"), world.runner("v1")];
    const session = world.newSession();
    const runId = await leaving.start(session);
    await held.begun;
    await Promise.all([world.answer(fresh), world.answer(old)]);
    await leaving.service.handOverRuns();
    expect(await world.ended(runId)).toEqual({ status: "succeeded", on: "v1", attempts: 2 });
    expect(await world.texts(session)).toEqual(["hi", "v1"]);
  });
});

describe("what a runner reports of its apps", () => {
  it("is what it has loaded, and what new turns get while others lack it", async () => {
    verifies("platform:agent-revision");
    await using world = new RevisionWorld();
    const [one, two] = [world.runner("v1"), world.runner("v1")];
    expect(await one.service.readApps()).toEqual([{ name: "shop", agentRevision: "v1" }]);
    await world.answer(two);
    one.loader.load("v2");
    expect(await one.service.readApps()).toEqual([{ name: "shop", agentRevision: "v2", used: "v1" }]);
    expect((await one.service.describeApp("shop")).agentRevision).toBe("v1");
    one.loader.versions.length = 0;
    expect(await one.service.readApps()).toEqual([{ name: "shop", fault: "The app cannot be loaded." }]);
  });
});

describe("versions of an app in one process", () => {
  it("run side by side until their runs have ended, and are closed when they are not kept", async () => {
    await using world = new RevisionWorld({ isAlone: true });
    const held = heldStep("v1");
    const one = world.runner("v1", {}, [held.step]);
    const run = await one.start(world.newSession());
    await held.begun;
    one.loader.maxOlder = 1;
    for (const version of ["v2", "v3", "v4"]) {
      one.loader.load(version);
      expect(await world.answer(one)).toBe(version);
    }
    await vi.waitFor(() => expect(one.loader.closed).toEqual(["v2"]));
    held.release();
    expect(await world.ended(run)).toEqual({ status: "succeeded", on: "v1", attempts: 1 });
    await vi.waitFor(() => expect(one.loader.closed).toEqual(["v2", "v1"]));
  });
});
