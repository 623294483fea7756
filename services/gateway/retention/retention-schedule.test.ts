import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { IDEMPOTENCY_CLAIM_MS } from "#ports/idempotency/idempotency-store.ts";
import { InMemoryIdempotencyStore } from "#ports/idempotency/in-memory-idempotency-store.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { RetentionSchedule } from "./retention-schedule.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;
const RULES = { defaults: { sessions: DAY_MS }, overrides: [] };

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

async function createWorld() {
  const clock = new FixedClock(1_800_000_000_000);
  const sessionService = new InMemorySessionStore({ clock, ids: new SequentialIds() });
  const idempotencyStore = new InMemoryIdempotencyStore({ clock });
  const lists: string[] = [];
  const gateway = (name: string, onList = async () => {}) => {
    const store = Object.create(sessionService, {
      listIdleSessions: {
        value: async (request: Parameters<InMemorySessionStore["listIdleSessions"]>[0]) => {
          lists.push(name);
          await onList();
          return sessionService.listIdleSessions(request);
        },
      },
    });
    const artifactService = new InMemoryArtifactService({ clock });
    const deps = { sessionService: store, artifactService, idempotencyStore, clock, logger: silentLogger };
    return new RetentionSchedule({ ...deps, ids: new SequentialIds(name) }, { rules: () => RULES, firstLookMs: 1000 });
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
  };
  return { clock, sessionService, idempotencyStore, lists, gateway, pass };
}

it("one of several gateways makes the pass of a time, and each time has one", async () => {
  verifies("retention:one-of-many");
  const { sessionService, lists, gateway, pass } = await createWorld();
  const old = { appName: "weather", userId: "me", id: "old" };
  await sessionService.createSession(old);
  await using _one = gateway("one");
  await using _two = gateway("two");
  await pass(2000);
  expect(lists).toHaveLength(1);
  await pass(HOUR_MS);
  expect(lists).toHaveLength(1);
  for (let hour = 0; hour < 32; hour += 1) await pass(HOUR_MS);
  expect(lists.length).toBeGreaterThanOrEqual(6);
  expect(lists.length).toBeLessThanOrEqual(7);
  expect(await sessionService.getSession(old)).toBeUndefined();
});

it("another gateway makes the pass of one that was lost", async () => {
  verifies("retention:one-of-many", "retention:resumes");
  const { clock, idempotencyStore, lists, gateway, pass } = await createWorld();
  // What a process that was killed leaves behind.
  const slot = Math.floor(clock.now() / (6 * HOUR_MS));
  await idempotencyStore.claim(`server:retention:${slot}`, "lost");
  await using _two = gateway("two");
  await pass(2000);
  expect(lists).toEqual([]);
  await pass(IDEMPOTENCY_CLAIM_MS);
  await pass(20 * 60 * 1000);
  expect(lists).toEqual(["two"]);
});

it("a pass that takes long keeps its claim", async () => {
  verifies("retention:one-of-many");
  const { lists, gateway, pass } = await createWorld();
  const { promise, resolve } = Promise.withResolvers<void>();
  await using _one = gateway("one", () => promise);
  await pass(2000);
  await using _two = gateway("two");
  for (let step = 0; step < 40; step += 1) await pass(IDEMPOTENCY_CLAIM_MS / 2);
  expect(lists).toEqual(["one"]);
  resolve();
  await pass(20 * 60 * 1000);
  expect(lists).toEqual(["one"]);
});

it("a server without the setting has no timer of retention", async () => {
  verifies("retention:off-costs-nothing");
  const file = join(await mkdtemp(join(tmpdir(), "retention-")), "retention.yaml");
  await writeFile(file, "defaults: { sessionDays: 1 }");
  const timersWith = async (RETENTION_FILE: string) => {
    const before = vi.getTimerCount();
    await using _world = await startGateway({ config: { RETENTION_FILE } });
    return vi.getTimerCount() - before;
  };
  expect((await timersWith(file)) - (await timersWith(""))).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});
