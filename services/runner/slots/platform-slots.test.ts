import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryRunQuota } from "#ports/runs/in-memory-run-quota.ts";
import type { RunPlace, RunQuota, RunQuotaAnswer } from "#ports/runs/run-quota.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { quotasOf } from "#test/helpers/worlds/quotas-of.ts";
import { runnerConfigSchema } from "../config.ts";
import { createPlatformSlots } from "./platform-slots.ts";
import { RunSlots } from "./run-slots.ts";

const ADA = { appName: "app", userId: "ada" };
const BOB = { appName: "app", userId: "bob" };
const forever = new AbortController().signal;

/** Runners with these limits over one store and this count. */
function createWorld(limits: Readonly<Record<string, string>>, runQuota?: (clock: FixedClock) => RunQuota) {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  const config = loadConfig(runnerConfigSchema, limits);
  const quota = runQuota?.(clock);
  const options = {
    runJournal: store,
    clock,
    ids,
    logger: silentLogger,
    config,
    ...(quota !== undefined && { runQuota: quota }),
  };
  const createSlots = () => new RunSlots(config, createPlatformSlots(options));
  const begin = async ({ appName, userId }: typeof ADA): Promise<void> => {
    const session = { appName, userId, id: ids.next() };
    await store.createSession(session);
    const request = { runId: ids.next(), session, invocationId: "e-1", request: {}, haveRevision: 0 };
    await store.begin({ ...request, policy: "enqueue", holder: "elsewhere", leaseMs: 1000 });
  };
  return { slots: [createSlots(), createSlots()] as const, clock, begin };
}

function refusal(limit: string) {
  return { reason: "RUNNER_BUSY", code: "RESOURCE_EXHAUSTED", details: { limit, retryAfterSeconds: "2" } };
}

/** A quota that gives these answers, and records which runs took and left a place. */
class ScriptedQuota implements RunQuota {
  readonly #answer: () => Promise<RunQuotaAnswer>;
  readonly calls: string[] = [];
  constructor(answer: () => Promise<RunQuotaAnswer>) {
    this.#answer = answer;
  }
  async take(): Promise<RunQuotaAnswer> {
    return this.#answer();
  }
  hold(place: RunPlace): void {
    this.calls.push(`hold ${userOf(place)}`);
  }
  leave(place: RunPlace): void {
    this.calls.push(`leave ${userOf(place)}`);
  }
  async count(): Promise<readonly number[]> {
    return [];
  }
}

/** The user of the place's first limit, or the limit itself if it is not of a user. */
function userOf({ limits: [limit] }: RunPlace): string {
  return limit?.name.split("\n")[1] ?? limit?.name ?? "";
}

describe("slots that all runners share", () => {
  it("make no calls if no app and no user has a limit", () => {
    const quota = new ScriptedQuota(() => Promise.reject(new Error("asked")));
    const { slots } = createWorld({}, () => quota);
    expect(slots[0].take(ADA)).toBeInstanceOf(Function);
  });

  it.each([
    ["app", { MAX_CONCURRENT_RUNS_PER_APP: "2" }, BOB, "MAX_CONCURRENT_RUNS_PER_APP"],
    ["user", { MAX_CONCURRENT_RUNS_PER_USER: "2" }, ADA, "MAX_CONCURRENT_RUNS_PER_USER"],
  ] as const)("are refused beyond the limit of an %s, whichever runner is asked", async (_, limits, next, limit) => {
    const { slots } = createWorld(limits, (clock) => new InMemoryRunQuota({ clock }));
    const leave = [await slots[0].take(ADA), await slots[1].take(ADA)];
    for (const { take, tryTake } of slots.map(bound)) {
      await expect(take(next)).rejects.toMatchObject(refusal(limit));
      expect(await tryTake(next)).toBeUndefined();
    }
    expect(slots.map(({ busy }) => busy)).toEqual([1, 1]);
    leave[0]?.();
    await slots[1].take(next);
    expect(slots.map(({ busy }) => busy)).toEqual([0, 2]);
  });

  it("are given to a queued run of another runner before a new run", async () => {
    const { slots } = createWorld({ MAX_CONCURRENT_RUNS_PER_USER: "1" }, (clock) => new InMemoryRunQuota({ clock }));
    const leave = await slots[0].take(ADA);
    const waiting = slots[1].wait(ADA, forever);
    // It does not block other runs.
    await slots[1].take(BOB);
    leave();
    await expect(slots[0].take(ADA)).rejects.toMatchObject(refusal("MAX_CONCURRENT_RUNS_PER_USER"));
    expect(await waiting).toBeInstanceOf(Function);
    expect(slots.map(({ busy }) => busy)).toEqual([0, 2]);
  });

  it("are not given to a run that has left the queue", async () => {
    const { slots } = createWorld({ MAX_CONCURRENT_RUNS_PER_APP: "1" }, (clock) => new InMemoryRunQuota({ clock }));
    await slots[0].take(ADA);
    const left = new AbortController();
    const waiting = slots[1].wait(BOB, left.signal);
    left.abort();
    expect([await waiting, slots[1].busy]).toEqual([undefined, 0]);
  });

  const away = async (): Promise<never> => {
    throw new PlatformError("STORE_UNAVAILABLE", "Redis is unavailable.");
  };
  const unsure = async (): Promise<RunQuotaAnswer> => ({ kind: "taken", isSure: false });

  it.each([
    ["nobody counts", away],
    ["some may be missing in the count", unsure],
  ] as const)("are counted by the records of runs while %s", async (_, answer) => {
    const quota = new ScriptedQuota(answer);
    const limits = { MAX_CONCURRENT_RUNS_PER_APP: "3", MAX_CONCURRENT_RUNS_PER_USER: "2" };
    const { slots, begin, clock } = createWorld(limits, () => quota);
    await begin(ADA);
    await begin(ADA);
    await expect(slots[0].take(ADA)).rejects.toMatchObject(refusal("MAX_CONCURRENT_RUNS_PER_USER"));
    const leave = await slots[0].take(BOB);
    await begin(BOB);
    clock.advance(1000);
    await expect(slots[1].take({ ...BOB, userId: "eve" })).rejects.toMatchObject(
      refusal("MAX_CONCURRENT_RUNS_PER_APP"),
    );
    leave();
    expect(quota.calls).toEqual(["leave ada", "hold bob", "leave eve", "leave bob"]);
    expect(slots.map(({ busy }) => busy)).toEqual([0, 0]);
  });

  it("are counted by records in the process's own name, so that other users' runs are counted", async () => {
    const clock = new FixedClock();
    const ids = new SequentialIds();
    const config = loadConfig(runnerConfigSchema, { MAX_CONCURRENT_RUNS_PER_APP: "1" });
    const store = new InMemorySessionStore({ clock, ids });
    const scopes: unknown[] = [];
    const list = store.list.bind(store);
    store.list = async (request) => {
      scopes.push(currentCallScope());
      return list(request);
    };
    const runQuota = new ScriptedQuota(away);
    const options = { runJournal: store, clock, ids, logger: silentLogger, config, runQuota };
    const slots = new RunSlots(config, createPlatformSlots(options));
    const scope = { principal: { tenantId: DEFAULT_TENANT, ...ADA, scopes: [] } };
    await inCallScope(scope, async () => {
      await slots.take(ADA);
      scopes.push(currentCallScope());
    });
    expect(scopes).toEqual([undefined, scope]);
  });

  it("are given to a recovered run, although its own record is counted", async () => {
    const { slots, begin } = createWorld({ MAX_CONCURRENT_RUNS_PER_USER: "1" }, () => new ScriptedQuota(away));
    await begin(ADA);
    expect(await slots[0].tryTake(ADA)).toBeUndefined();
    expect(await slots[0].tryTake(ADA, { hasRecord: true })).toBeInstanceOf(Function);
    expect(slots[0].busy).toBe(1);
  });

  it("are refused as unavailable, and released, when neither the quota nor the store answers", async () => {
    const quota = new ScriptedQuota(away);
    const { clock } = createWorld({});
    const config = loadConfig(runnerConfigSchema, { MAX_CONCURRENT_RUNS_PER_APP: "1" });
    const store = new InMemorySessionStore({ clock, ids: new SequentialIds() });
    store.list = away;
    const options = { runJournal: store, clock, ids: new SequentialIds(), logger: silentLogger, config };
    const slots = new RunSlots(config, createPlatformSlots({ ...options, runQuota: quota }));
    await expect(slots.take(ADA)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    expect([slots.busy, quota.calls]).toEqual([0, ["leave app:app"]]);
  });
});

function bound(slots: RunSlots) {
  return {
    take: async (owner: typeof ADA) => slots.take(owner),
    tryTake: async (owner: typeof ADA) => slots.tryTake(owner),
  };
}

describe("quotas of concurrent runs", () => {
  const RULES =
    "{ defaults: { key: { concurrentRuns: 1 }, user: { concurrentRuns: 2 }, tenant: { concurrentRuns: 3 } } }";
  const QUOTA = { reason: "QUOTA_EXCEEDED", code: "RESOURCE_EXHAUSTED" };

  function createSlots(rules: string, runQuota?: RunQuota) {
    const { clock } = createWorld({});
    const config = loadConfig(runnerConfigSchema, {});
    const ids = new SequentialIds();
    const store = new InMemorySessionStore({ clock, ids });
    const quotas = quotasOf(rules, { clock });
    const options = { runJournal: store, clock, ids, logger: silentLogger, config, quotas };
    const create = () => new RunSlots(config, createPlatformSlots({ ...options, ...(runQuota && { runQuota }) }));
    return { slots: [create(), create()] as const, quotas };
  }

  it("hold over all runners, by key, user and tenant, also for apps without a limit of their own", async () => {
    verifies("quotas:runs");
    const { slots, quotas } = createSlots(RULES);
    const [first, second] = slots;
    const leave = await first.take({ ...ADA, keyId: "k1" });
    const refused = (scope: string) => ({
      ...QUOTA,
      details: expect.objectContaining({ limit: "concurrentRuns", scope }),
    });
    await expect(second.take({ ...ADA, keyId: "k1" })).rejects.toMatchObject(refused("key"));
    await second.take({ ...ADA, appName: "other" });
    await expect(first.take(ADA)).rejects.toMatchObject(refused("user"));
    await first.take(BOB);
    await expect(second.take({ ...BOB, userId: "eva" })).rejects.toMatchObject(refused("tenant"));
    expect(await second.take({ ...ADA, tenantId: "acme" })).toBeInstanceOf(Function);
    const uses = await quotas.read(ADA, quotas.limitsOf(ADA, ["concurrentRuns"]));
    expect(uses.map(({ applied, state }) => [applied.scope, state.reserved])).toEqual([
      ["user", 2],
      ["tenant", 3],
    ]);
    leave();
    expect(await second.take({ ...ADA, keyId: "k1" })).toBeInstanceOf(Function);
    expect(slots.map(({ busy }) => busy)).toEqual([1, 3]);
  });

  const lost = () =>
    new ScriptedQuota(async () => {
      throw new PlatformError("STORE_UNAVAILABLE", "Redis is lost.");
    });

  it("allow runs while the counts are unavailable, or refuse them if the file demands it", async () => {
    verifies("quotas:unavailable");
    expect(await createSlots(RULES, lost()).slots[0].take(ADA)).toBeInstanceOf(Function);
    const strict = RULES.replace("{ ", "{ whenUnavailable: { requests: refuse }, ");
    const { slots } = createSlots(strict, lost());
    await expect(slots[0].take(ADA)).rejects.toMatchObject({ reason: "QUOTA_UNAVAILABLE" });
    expect(slots[0].busy).toBe(0);
  });

  it("cost nothing for runs without a limit", async () => {
    const quota = lost();
    const { slots } = createSlots(
      "{ defaults: { user: { tokensPerDay: 1 } }, whenUnavailable: { requests: refuse } }",
      quota,
    );
    const leave = await slots[0].take(ADA);
    leave();
    expect([slots[0].busy, quota.calls]).toEqual([0, []]);
  });
});
