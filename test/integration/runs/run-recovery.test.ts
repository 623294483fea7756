import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { SqliteSessionStore } from "#adapters/sqlite/sessions/sqlite-session-store.ts";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { functionCallResponse, type ScriptedModel, streamedText } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { KEY, LEASE_MS, RecoveryWorld } from "#test/helpers/worlds/recovery-world.ts";

type Sources = { clock: Clock; ids: IdGenerator };

function openSqlite(sources: Sources): SqliteSessionStore {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return new SqliteSessionStore({ folder, ...sources });
}

describe.each([
  ["in memory", (sources: Sources) => new InMemorySessionStore(sources)],
  ["in SQLite", openSqlite],
])("a run whose runner is lost, its session %s", (_, open) => {
  it("is continued by another runner within two leases: no event is lost or doubled", async () => {
    await using world = await RecoveryWorld.start(open);
    const stuck = [{ content: modelContent("Hel"), partial: true }, new Promise(() => {})];
    const one = world.runner({ steps: [stuck] });
    const two = world.runner({ steps: [streamedText("Hel", "lo")] });
    const run = await one.start("hi", { streaming: true });
    await untilStored(world, 1);
    await nextTurns();
    one.die();

    world.clock.advance(LEASE_MS - 1);
    expect(await two.reaper.look()).toBe(0);
    world.clock.advance(1);
    expect(await two.reaper.look()).toBe(1);
    expect(await world.read(run.runId)).toEqual(["Hel~", "attempt 2", "Hel~", "lo~", "Hello #2", "succeeded"]);
    expect(await world.events()).toEqual(["user: hi", "app: Hello"]);
    expect(await world.record(run.runId)).toEqual({ status: "succeeded", attempts: 2 });
    expect(two.recoveries).toEqual(["resumed"]);
  });

  it("is had by one of the runners that look at the same time", async () => {
    await using world = await RecoveryWorld.start(open);
    const held = heldStep();
    const one = world.runner({ steps: [held.step] });
    const others = [1, 2, 3].map(() => world.runner({ steps: ["hello"] }));
    const run = await one.start("hi");
    await held.begun;
    one.die();
    world.clock.advance(LEASE_MS);
    const looks = await Promise.all(others.map(({ reaper }) => reaper.look()));
    expect(looks.toSorted()).toEqual([0, 0, 1]);
    expect(await world.read(run.runId)).toEqual(["attempt 2", "hello #2", "succeeded"]);
    expect(others.map(({ model }) => model.callCount).toSorted()).toEqual([0, 0, 1]);
  });

  it("does not run a tool again that may have run, and reports that to the model", async () => {
    await using world = await RecoveryWorld.start(open);
    const paid: string[] = [];
    const begun = Promise.withResolvers<void>();
    const agentOf = (name: string) => (model: ScriptedModel) => {
      const run = (): Promise<never> => {
        paid.push(name);
        begun.resolve();
        return new Promise(() => {});
      };
      const pay = new FunctionTool({ name: "pay", description: "Pays.", execute: run });
      return new LlmAgent({ name: KEY.appName, model, tools: [pay] });
    };
    const one = world.runner({ steps: [functionCallResponse("pay")], agent: agentOf("one") });
    const two = world.runner({ steps: ["I cannot tell."], agent: agentOf("two") });
    const run = await one.start("pay");
    await begun.promise;
    one.die();
    world.clock.advance(LEASE_MS);
    await two.reaper.look();
    expect((await world.read(run.runId)).at(-1)).toBe("succeeded");
    expect(paid).toEqual(["one"]);
    expect(await world.events()).toEqual([
      "user: pay",
      "app: call",
      expect.stringMatching(/^app: response .*unknown/),
      "app: I cannot tell.",
    ]);
  });

  it("shows what the lost runner had stored and never shown", async () => {
    await using world = await RecoveryWorld.start(open);
    const held = heldStep();
    const agent = (model: ScriptedModel) => {
      const execute = async () => {
        await nextTurns();
        one.loseStream();
        return { found: 7 };
      };
      const look = new FunctionTool({ name: "look", description: "Looks.", execute });
      return new LlmAgent({ name: KEY.appName, model, tools: [look] });
    };
    const one = world.runner({ steps: [functionCallResponse("look"), held.step], agent });
    const two = world.runner({ steps: ["Seven."], agent });
    const run = await one.start("look");
    await held.begun;
    one.die();
    world.clock.advance(LEASE_MS);
    await two.reaper.look();
    expect(await world.read(run.runId)).toEqual([
      "call #2",
      "attempt 2",
      'response {"found":7} #3',
      "Seven. #4",
      "succeeded",
    ]);
  });

  it("ends as failed when it has lost two runners: the third one executes nothing of it, and the session continues", async () => {
    await using world = await RecoveryWorld.start(open);
    const first = heldStep();
    const lost = world.runner({ steps: [first.step] });
    const unlucky = await lost.start("again");
    await first.begun;
    lost.die();
    world.clock.advance(LEASE_MS);
    const held = heldStep();
    const second = world.runner({ steps: [held.step] });
    expect(await second.reaper.look()).toBe(1);
    await held.begun;
    second.die();
    world.clock.advance(LEASE_MS);
    const executed: string[] = [];
    const last = world.runner({
      steps: ["fine"],
      agent: (model) =>
        new LlmAgent({
          name: "app",
          model,
          beforeAgentCallback: ({ invocationId }) => void executed.push(invocationId),
        }),
    });
    expect(await last.reaper.look()).toBe(1);
    expect((await world.read(unlucky.runId)).slice(-2)).toEqual(["RUN_ATTEMPTS_EXHAUSTED #2", "failed"]);
    expect(last.recoveries).toEqual(["exhausted"]);
    expect(executed).toEqual([]);
    expect(await world.record(unlucky.runId)).toMatchObject({ status: "failed", reason: "RUN_ATTEMPTS_EXHAUSTED" });
    const next = await last.start("and now");
    expect(await world.read(next.runId)).toEqual(["fine #4", "succeeded"]);
    expect(await world.events()).toEqual(["user: again", "app: RUN_ATTEMPTS_EXHAUSTED", "user: and now", "app: fine"]);
  });

  it("recovers the runs queued behind it with it, in their order", async () => {
    await using world = await RecoveryWorld.start(open);
    const held = heldStep();
    const one = world.runner({ steps: [held.step] });
    const two = world.runner({ steps: ["one", "two", "three"] });
    const runs = [await one.start("a"), await one.start("b"), await one.start("c")];
    await held.begun;
    one.die();
    for (const run of runs) {
      world.clock.advance(LEASE_MS);
      expect(await two.reaper.look()).toBe(1);
      await world.read(run.runId);
    }
    expect(await world.events()).toEqual(["user: a", "app: one", "user: b", "app: two", "user: c", "app: three"]);
    expect(two.recoveries).toEqual(["resumed", "started", "started"]);
  });

  it("that was only frozen can write nothing any more, neither to the store nor to the stream", async () => {
    await using world = await RecoveryWorld.start(open);
    const frozen = heldStep(streamedText("late ", "words"));
    const one = world.runner({ steps: [frozen.step] });
    const held = heldStep("hello");
    const two = world.runner({ steps: [held.step] });
    const run = await one.start("hi", { streaming: true });
    await frozen.begun;
    world.clock.advance(LEASE_MS);
    await two.reaper.look();
    await held.begun;
    frozen.release();
    await one.service.whenIdle();
    held.release();
    expect(await world.read(run.runId)).toEqual(["attempt 2", "hello #2", "succeeded"]);
    expect(await world.events()).toEqual(["user: hi", "app: hello"]);
  });

  it("ends as cancelled when that was requested while it had no holder", async () => {
    await using world = await RecoveryWorld.start(open);
    const held = heldStep();
    const one = world.runner({ steps: [held.step] });
    const two = world.runner();
    const run = await one.start("hi");
    await held.begun;
    one.die();
    expect((await two.service.cancelRun(run.runId)).cancelRequested).toBe(true);
    world.clock.advance(LEASE_MS);
    await two.reaper.look();
    expect(await world.read(run.runId)).toEqual(["attempt 2", "RUN_CANCELLED #2", "cancelled"]);
    expect(two.model.callCount).toBe(0);
  });

  it("keeps the time limit of its request", async () => {
    await using world = await RecoveryWorld.start(open);
    const held = heldStep();
    const one = world.runner({ steps: [held.step] });
    const two = world.runner();
    const run = await one.start("hi", { timeoutMs: LEASE_MS });
    await held.begun;
    one.die();
    world.clock.advance(LEASE_MS);
    await two.reaper.look();
    expect(await world.read(run.runId)).toEqual(["attempt 2", "RUN_TIMED_OUT #2", "timed_out"]);
  });

  it("is ended where lost runs are not to be recovered", async () => {
    await using world = await RecoveryWorld.start(open);
    const held = heldStep();
    const one = world.runner({ steps: [held.step] });
    const two = world.runner({ config: { ON_ABANDONED_RUN: "interrupt" } });
    const run = await one.start("hi");
    await held.begun;
    one.die();
    world.clock.advance(LEASE_MS);
    await two.reaper.look();
    expect(await world.read(run.runId)).toEqual(["attempt 2", "RUN_INTERRUPTED #2", "interrupted"]);
  });

  it("is ended when its request does not allow recovery, as that of a live run", async () => {
    await using world = await RecoveryWorld.start(open);
    const two = world.runner();
    const live = { session: KEY, runId: "live", invocationId: "e-1", holder: "lost", request: { streaming: true } };
    await world.store.begin({ ...live, policy: "enqueue", leaseMs: LEASE_MS, haveRevision: 0 });
    world.clock.advance(LEASE_MS);
    expect(await two.reaper.look()).toBe(1);
    expect(await world.read("live")).toEqual(["attempt 2", "RUN_INTERRUPTED #1", "interrupted"]);
    expect(two.model.callCount).toBe(0);
  });

  it("is left to runners that have its app, and ended when none comes for it", async () => {
    await using world = await RecoveryWorld.start(open);
    const held = heldStep();
    const one = world.runner({ steps: [held.step] });
    const two = world.runner({ hasNoApps: true });
    const run = await one.start("hi");
    await held.begun;
    one.die();
    world.clock.advance(LEASE_MS);
    for (let look = 1; look <= 2; look += 1) await two.reaper.look();
    expect(await world.record(run.runId)).toEqual({ status: "running", attempts: 1 });
    await two.reaper.look();
    expect(await world.record(run.runId)).toMatchObject({ status: "failed", reason: "APP_NOT_FOUND" });
    expect(await world.events()).toEqual(["user: hi", "app: APP_NOT_FOUND"]);
  });

  it("is recovered for no request: its calls carry what it gets when it begins", async () => {
    await using world = await RecoveryWorld.start(open);
    const held = heldStep();
    const one = world.runner({ steps: [held.step] });
    const scopes: unknown[] = [];
    const noteScope = () => {
      scopes.push(currentCallScope());
      return "hello";
    };
    const two = world.runner({ steps: [noteScope] });
    const run = await one.start("hi");
    await held.begun;
    one.die();
    world.clock.advance(LEASE_MS);
    await two.reaper.look();
    await world.read(run.runId);
    expect(scopes).toEqual([{ credentials: {} }]);
  });
});

describe("a runner that is asked to end", () => {
  it("hands its runs over immediately, which counts as no attempt", async () => {
    await using world = await RecoveryWorld.start((sources) => new InMemorySessionStore(sources));
    const held = heldStep();
    const config = { MAX_RUN_ATTEMPTS: "1" };
    const one = world.runner({ steps: [held.step], config });
    const two = world.runner({ steps: ["one", "two", "three"], config });
    const runs = [await one.start("a"), await one.start("b"), await one.start("c")];
    await held.begun;
    await one.service.handOverRuns();
    const ends = [];
    for (const { runId } of runs) ends.push((await world.read(runId)).at(-1));
    expect(ends).toEqual(["succeeded", "succeeded", "succeeded"]);
    expect(await world.events()).toEqual(["user: a", "app: one", "user: b", "app: two", "user: c", "app: three"]);
    expect(await world.record(runs[0]?.runId ?? "")).toEqual({ status: "succeeded", attempts: 2, handovers: 1 });
    expect(two.recoveries[0]).toBe("handed-over");
    await expect(one.start("d")).rejects.toMatchObject({ reason: "SERVER_SHUTTING_DOWN" });
  });

  it("releases queued runs when it begins to drain, and ends active ones", async () => {
    await using world = await RecoveryWorld.start((sources) => new InMemorySessionStore(sources));
    const held = heldStep("one");
    const one = world.runner({ steps: [held.step] });
    const two = world.runner({ steps: ["two"] });
    const [first, second] = [await one.start("a"), await one.start("b")];
    await held.begun;
    one.service.drain();
    held.release();
    await one.service.whenIdle();
    expect((await world.read(first.runId)).at(-1)).toBe("succeeded");
    expect(await world.read(second.runId)).toEqual(["two #4", "succeeded"]);
    expect(two.model.callCount).toBe(1);
  });

  it("leaves a run to the next look when no runner gets the notification", async () => {
    await using world = await RecoveryWorld.start((sources) => new InMemorySessionStore(sources));
    const held = heldStep();
    const one = world.runner({ steps: [held.step] });
    const run = await one.start("a");
    await held.begun;
    await one.service.handOverRuns();
    expect(await world.record(run.runId)).toEqual({ status: "pending", attempts: 1, handovers: 1 });
    const two = world.runner({ steps: ["one"] });
    world.clock.advance(LEASE_MS);
    expect(await two.reaper.look()).toBe(1);
    expect((await world.read(run.runId)).at(-1)).toBe("succeeded");
  });
});

async function untilStored(world: RecoveryWorld, events: number): Promise<void> {
  await expect.poll(async () => (await world.events()).length).toBe(events);
}

async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
