import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { FileArtifactService } from "#adapters/files/file-artifact-service.ts";
import { spaceProbe } from "#adapters/files/space-probe.ts";
import { SqliteSessionStore } from "#adapters/sqlite/sessions/sqlite-session-store.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { injectFileFaults } from "#test/helpers/faults/file-faults.ts";
import { injectSqliteFaults, SQLITE_CODES } from "#test/helpers/faults/sqlite-faults.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { MetricRegistry } from "../metrics/metric-registry.ts";
import { createStoreMetrics } from "../metrics/store-metrics.ts";
import { Readiness } from "./readiness.ts";
import { watchSpace } from "./watch-space.ts";

const TALK = { appName: "app", userId: "ada", id: "talk" };
const clock = new FixedClock();

afterEach(() => {
  vi.useRealTimers();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "space-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function createWatch(store: "session" | "artifact", probe: (() => Promise<void>) | undefined) {
  const readiness = new Readiness([]);
  const watch = watchSpace({ store, probe, states: readiness, logger: silentLogger });
  onTestFinished(() => watch[Symbol.dispose]());
  const observe = createStoreMetrics({ registry: new MetricRegistry(), clock });
  return {
    readiness,
    watch,
    observed: <Store extends object>(target: Store): Store => observe(store, target, watch.failed),
  };
}

it("reports the store from a save that finds no space until a file can be written again, and stays in service", async () => {
  verifies("wire:health");
  const root = folder();
  const { readiness, observed } = createWatch("artifact", spaceProbe(root, "artifacts"));
  const artifacts = observed(new FileArtifactService({ root, clock }));
  const save = () => artifacts.saveArtifact({ session: TALK, filename: "a.txt", artifact: { text: "x" } });
  await save();
  using faults = injectFileFaults();
  faults.failWrites("ENOSPC");
  await expect(save()).rejects.toMatchObject({ reason: "STORAGE_FULL" });
  expect([readiness.missing, readiness.unavailable]).toEqual([[], ["artifact store (STORAGE_FULL)"]]);
  faults.heal();
  await expect.poll(() => readiness.unavailable, { timeout: 20_000 }).toEqual([]);
  expect(readdirSync(root).filter((name) => name.startsWith(".space"))).toEqual([]);
});

it("reports the store when SQLite finds no space", async () => {
  const path = folder();
  await using store = new SqliteSessionStore({ folder: path, clock, ids: new SequentialIds() });
  const { readiness, observed } = createWatch("session", spaceProbe(path, "sessions"));
  const sessions = observed(store);
  using faults = injectSqliteFaults();
  faults.failCall(2, SQLITE_CODES.FULL);
  await expect(sessions.createSession(TALK)).rejects.toMatchObject({ reason: "STORAGE_FULL" });
  expect(readiness.unavailable).toEqual(["session store (STORAGE_FULL)"]);
  await expect.poll(() => readiness.unavailable, { timeout: 20_000 }).toEqual([]);
});

it("reports the store while the probe fails, for any reason", async () => {
  vi.useFakeTimers();
  let failure: Error | undefined = new Error("no descriptor");
  const probe = vi.fn(async () => {
    if (failure !== undefined) throw failure;
  });
  const { readiness, watch } = createWatch("session", probe);
  watch.failed("STORAGE_FULL");
  watch.failed("STORAGE_FULL");
  await vi.advanceTimersByTimeAsync(5000);
  expect([probe.mock.calls.length, readiness.unavailable]).toEqual([5, ["session store (STORAGE_FULL)"]]);
  failure = undefined;
  await vi.advanceTimersByTimeAsync(1000);
  expect(readiness.unavailable).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(probe).toHaveBeenCalledTimes(6);
});

it("reports nothing when a store fails in another way", () => {
  const { readiness, watch } = createWatch("session", async () => {});
  watch.failed("STORE_UNAVAILABLE");
  expect(readiness.unavailable).toEqual([]);
});

it("stops probing when it is disposed of", async () => {
  vi.useFakeTimers();
  const probe = vi.fn(async () => {});
  const { watch } = createWatch("session", probe);
  watch.failed("STORAGE_FULL");
  watch[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(5000);
  expect(probe).not.toHaveBeenCalled();
});
