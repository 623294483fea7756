import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { PushOutcome, PushTask } from "#ports/push/push-store.ts";
import { TabularPushStore } from "#ports/push/tabular-push-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import type { RouteDeps } from "../deps.ts";
import { TaskUpdates } from "../tasks/task-updates.ts";
import { TaskDelivery } from "./deliver-task.ts";
import { PushDeliverer } from "./push-deliverer.ts";
import { type Notification, PushRefused, PushSender } from "./push-sender.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const TARGET = { id: "hook", url: "https://hooks.example.com/" };

function taskOf(userId: string, number: number): PushTask {
  return { taskId: `${userId}-${number}`, session: { appName: "desk", userId, id: `s-${number}` } };
}

/** Tasks in progress, whose streams stay silent, with a target each. */
function createWorld() {
  const clock = new FixedClock();
  const store = new TabularPushStore({ table: new InMemoryRowTable() });
  const sessions = new Map<string, SessionKey>();
  const followed = new Set<string>();
  const runOf = (runId: string): RunRecord =>
    // The members that a delivery reads.
    ({
      runId,
      session: sessions.get(runId),
      baseRevision: 0,
      status: "running",
      createdTime: 0,
      epoch: 1,
    }) as RunRecord;
  async function* subscribe(runId: string, { signal }: { readonly signal: AbortSignal }) {
    followed.add(runId);
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    followed.delete(runId);
    yield* [];
  }
  // What a delivery uses of them.
  const deps = {
    ...{ clock, logger: silentLogger, runStream: { subscribe }, runJournal: { get: async (id: string) => runOf(id) } },
    answers: { reader: () => ({ begin: () => {} }) },
  } as unknown as RouteDeps;
  const add = async (...tasks: readonly PushTask[]) => {
    for (const task of tasks) {
      sessions.set(task.taskId, task.session);
      const place = { runId: task.taskId, sequence: 0, isBegun: false, isAtEnd: false };
      const times = { dueMs: clock.now(), nowMs: clock.now() };
      await store.save({ task, target: TARGET, version: "1.0", state: { place, isOver: false }, ...times });
    }
  };
  const countOf = (userId: string) => [...followed].filter((id) => id.startsWith(userId)).length;
  return { clock, store, deps, add, countOf, followed };
}

function manyOf(userId: string, count: number): readonly PushTask[] {
  return Array.from({ length: count }, (_, number) => taskOf(userId, number));
}

/** Sends without a wait. */
const SENDER = { send: async () => {} } as unknown as PushSender;

function startDeliverer({ deps, store }: Pick<ReturnType<typeof createWorld>, "deps" | "store">): PushDeliverer {
  const deliverer = new PushDeliverer(deps, { store, sender: SENDER, isShared: false, counted: () => {} });
  onTestFinished(() => deliverer.stop());
  deliverer.look();
  return deliverer;
}

it("follows at most 500 tasks of one user, and those of others meanwhile", async () => {
  const world = createWorld();
  await world.add(...manyOf("ada", 620), ...manyOf("bob", 3));
  const deliverer = startDeliverer(world);
  await expect.poll(() => [world.countOf("ada"), world.countOf("bob")]).toEqual([500, 3]);
  await deliverer.stop();
  // Whoever takes the deliveries over may do so at once.
  expect(world.followed.size).toBe(0);
  const due = await world.store.listDue(1000);
  expect(due.filter(({ dueMs }) => dueMs <= world.clock.now())).toHaveLength(503);
});

it("follows at most 1,000 tasks, and gives the places of idle ones to others", async () => {
  const world = createWorld();
  await world.add(...manyOf("ada", 450), ...manyOf("bob", 450), ...manyOf("cy", 450));
  const deliverer = startDeliverer(world);
  await expect.poll(() => world.followed.size).toBe(1000);
  const first = new Set(world.followed);
  world.clock.advance(60_000);
  deliverer.look();
  await expect.poll(() => [...world.followed].filter((id) => !first.has(id)).length).toBeGreaterThan(0);
  expect(world.followed.size).toBeLessThanOrEqual(1000);
});

it("tries a notification seldom, for a day, and then no more", async () => {
  const { clock, store, deps, add } = createWorld();
  await add(taskOf("ada", 1));
  const outcomes: PushOutcome[] = [];
  const refuse = async () => {
    throw new PushRefused("it answered with the status 500", {});
  };
  const sender = { send: refuse } as unknown as PushSender;
  const begin = clock.now();
  const options = { store, sender, leaseMs: 30_000, signal: new AbortController().signal };
  for (let due = await store.listDue(1); due[0] !== undefined; due = await store.listDue(1)) {
    clock.advance(Math.max(due[0].dueMs - clock.now(), 0));
    const push = await store.take(due[0], clock.now() + 30_000);
    if (push !== undefined)
      await new TaskDelivery(deps, { ...options, counted: (one) => outcomes.push(one) }, push).run();
  }
  expect(outcomes.at(-1)).toBe("given_up");
  expect(outcomes.filter((outcome) => outcome === "given_up")).toHaveLength(1);
  // Each pause is at least half an hour when they have become long.
  expect(outcomes.length).toBeLessThan(70);
  expect(outcomes.length).toBeGreaterThan(24);
  // Its place is kept for a day, in which its client may set it again.
  expect(clock.now() - begin).toBeLessThan(2 * DAY_MS + 2 * 60 * 60 * 1000);
});

it("reads what it sends when there is a place for it", async () => {
  const clock = new FixedClock();
  const answers: (() => void)[] = [];
  const fetch = () => new Promise<Response>((resolve) => answers.push(() => resolve(new Response(null))));
  const sender = new PushSender({ clock, outbound: { fetch } });
  let read = 0;
  const update = new TaskUpdates(taskOf("ada", 1)).status({ state: 2, message: undefined, timestamp: undefined });
  const task = async () => {
    read += 1;
    const status = { state: 2, message: undefined, timestamp: undefined };
    return { id: "t", contextId: "c", status, artifacts: [], history: [], metadata: undefined };
  };
  const notification: Notification = { update, task, version: "0.3" };
  const { signal } = new AbortController();
  const sent = Array.from({ length: 20 }, () => sender.send(notification, TARGET, "ada", signal));
  await expect.poll(() => answers.length).toBe(8);
  await nextTurn();
  expect(read).toBe(8);
  while (read < 20 || answers.length > 0) {
    for (const answer of answers.splice(0)) answer();
    await nextTurn();
  }
  await Promise.all(sent);
});
