import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LeaseOutcome } from "#kit/runs/base/started-run.ts";
import { Runner } from "#kit/runs/runner.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };
const LEASE_MS = 9000;

const random = vi.spyOn(Math, "random");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  random.mockReturnValue(0);
});
afterEach(() => void vi.useRealTimers());

/** A run whose model hangs until it is aborted; `renew` replaces the renewals of the store. */
async function startSilentRun(renew: (store: InMemorySessionStore) => Promise<void>, leaseMs = LEASE_MS) {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  const outcomes: LeaseOutcome[] = [];
  let stopped: unknown;
  const hang = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> => {
    signal.addEventListener("abort", () => {
      stopped = signal.reason;
    });
    return new Promise(() => {});
  };
  const model = new ScriptedModel([hang]);
  const renewInStore = store.renew.bind(store);
  store.renew = async (...renewal) => {
    await renew(store);
    return renewInStore(...renewal);
  };
  const runner = new Runner({
    app: createApp({ name: KEY.appName, rootAgent: new LlmAgent({ name: "app", model }) }),
    sessionService: store,
    journal: store,
    clock,
    ids,
    leaseMs,
    onLease: (outcome) => outcomes.push(outcome),
  });
  await store.createSession(KEY);
  const begun = await runner.beginRun({ session: KEY, request: { newMessage: userContent("hi") } });
  if (begun.kind !== "started") throw new Error("the run did not start");
  const execution = Array.fromAsync(runner.executeRun(begun.run));
  while (model.callCount < 1) await Promise.resolve();
  const advance = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
  };
  return {
    abort: begun.run.abort,
    runId: begun.run.record.runId,
    store,
    outcomes,
    execution,
    advance,
    stopped: () => stopped,
  };
}

const storeIsAway = (): Promise<void> => Promise.reject(new PlatformError("STORE_UNAVAILABLE", "away"));

describe("the lease of a silent run", () => {
  it.each([
    [0, 3000],
    [0.5, 2700],
    [0.99, 2406],
  ])(
    "is renewed at a time of its own, so that runs that began together do not all renew at once: %f",
    async (share, ms) => {
      random.mockReturnValue(share);
      const run = await startSilentRun(() => Promise.resolve());
      await run.advance(ms - 1);
      expect(run.outcomes).toEqual([]);
      await run.advance(1);
      expect(run.outcomes).toEqual(["renewed"]);
      run.abort.abort();
    },
  );

  it("is renewed every 25 seconds when it is long, so that the run's grant stays valid", async () => {
    const run = await startSilentRun(() => Promise.resolve(), 3_600_000);
    for (let renewals = 1; renewals <= 8; renewals += 1) {
      await run.advance(24_999);
      expect(run.outcomes.length).toBe(renewals - 1);
      await run.advance(1);
      expect(run.outcomes.length).toBe(renewals);
    }
    run.abort.abort();
  });

  it("is renewed every third of its length, for as long as the run takes", async () => {
    const { abort, execution, advance, outcomes, stopped } = await startSilentRun(async () => {});
    for (let third = 0; third < 30; third += 1) await advance(LEASE_MS / 3);
    expect([outcomes.length, new Set(outcomes), stopped()]).toEqual([30, new Set(["renewed"]), undefined]);
    abort.abort(new PlatformError("RUN_CANCELLED", "enough"));
    await execution;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends the run immediately when it can have run out: the model's call is aborted and nothing is written", async () => {
    const { execution, advance, outcomes, store, runId, stopped } = await startSilentRun(storeIsAway);
    await advance(LEASE_MS / 3);
    await advance(LEASE_MS / 3);
    await advance(LEASE_MS * 0.9 - (LEASE_MS * 2) / 3 - 1);
    expect(stopped()).toBeUndefined();
    await advance(1);
    expect(stopped()).toMatchObject({ reason: "LEASE_LOST" });
    await execution;
    expect(outcomes).toEqual(["failed", "failed", "lost"]);
    expect(await store.get(runId)).toMatchObject({ status: "running" });
    expect((await store.getSession(KEY))?.events).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends the run immediately when the process was frozen for longer than a lease", async () => {
    const { execution, advance, outcomes, stopped } = await startSilentRun(async () => {});
    await advance(10 * LEASE_MS);
    await execution;
    expect([outcomes, stopped()]).toEqual([["lost"], expect.objectContaining({ reason: "LEASE_LOST" })]);
  });

  it("ends the run immediately when the session is deleted", async () => {
    const { execution, advance, outcomes, stopped } = await startSilentRun((store) => store.deleteSession(KEY));
    await advance(LEASE_MS / 3);
    await execution;
    expect([outcomes, stopped()]).toEqual([["lost"], expect.objectContaining({ reason: "SESSION_NOT_FOUND" })]);
  });

  it("outlives a failure that passes", async () => {
    let failures = 1;
    const { abort, execution, advance, outcomes, stopped } = await startSilentRun(() => {
      failures -= 1;
      return failures >= 0 ? storeIsAway() : Promise.resolve();
    });
    for (let third = 0; third < 6; third += 1) await advance(LEASE_MS / 3);
    expect([outcomes[0], outcomes[1], stopped()]).toEqual(["failed", "renewed", undefined]);
    abort.abort(new PlatformError("RUN_CANCELLED", "enough"));
    await execution;
  });

  it("ends the run immediately when the store reports that another runner has it", async () => {
    const { execution, advance, outcomes, stopped } = await startSilentRun(() =>
      Promise.reject(new PlatformError("LEASE_LOST", "Another runner has it.")),
    );
    await advance(LEASE_MS / 3);
    await execution;
    expect([outcomes, stopped()]).toEqual([["lost"], expect.objectContaining({ reason: "LEASE_LOST" })]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is not renewed a second time while a renewal is in progress", async () => {
    let renewals = 0;
    const { abort, execution, advance } = await startSilentRun(() => {
      renewals += 1;
      return new Promise(() => {});
    });
    await advance(LEASE_MS / 3);
    await advance(LEASE_MS / 3);
    expect(renewals).toBe(1);
    abort.abort(new PlatformError("RUN_CANCELLED", "enough"));
    await execution;
  });
});
