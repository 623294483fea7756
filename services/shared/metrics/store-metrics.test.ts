import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { inCallScope } from "../security/call-scope.ts";
import { MetricRegistry } from "./metric-registry.ts";
import { createMetrics } from "./metrics.ts";
import { prometheusText } from "./metrics-text.ts";
import { createStoreMetrics } from "./store-metrics.ts";

/** A store whose methods need their own object, and which takes 20 ms for each call. */
class FakeStore {
  #calls = 0;
  readonly #advance: () => void;
  failure: Error | undefined;

  constructor(advance: () => void) {
    this.#advance = advance;
  }

  get calls(): number {
    return this.#calls;
  }

  async append(): Promise<number> {
    this.#calls += 1;
    this.#advance();
    if (this.failure !== undefined) throw this.failure;
    return this.#calls;
  }

  async loadArtifact(): Promise<number> {
    return this.append();
  }
}

function createWorld(registry: MetricRegistry) {
  let nowMs = 0;
  const clock = { now: () => 0, monotonic: () => nowMs };
  const advance = (): void => {
    nowMs += 20;
  };
  const observe = createStoreMetrics({ registry, clock });
  return { fake: () => new FakeStore(advance), observe };
}

const linesOf = (text: string, name: RegExp): readonly string[] => text.split("\n").filter((line) => name.test(line));

it("counts the faults of stores by operation and reason, and not their refusals", async () => {
  const registry = new MetricRegistry();
  const { fake, observe } = createWorld(registry);
  const store = fake();
  const artifacts = observe("artifact", store);
  expect(await artifacts.loadArtifact()).toBe(1);
  store.failure = new PlatformError("ARTIFACT_NOT_FOUND", "There is none.");
  await expect(artifacts.loadArtifact()).rejects.toBe(store.failure);
  store.failure = new PlatformError("STORE_UNAVAILABLE", "Away.");
  await expect(artifacts.loadArtifact()).rejects.toBe(store.failure);
  store.failure = new Error("bug");
  await expect(artifacts.loadArtifact()).rejects.toBe(store.failure);
  expect(artifacts.calls).toBe(4);
  expect(linesOf(prometheusText(registry), /^fairlead_/)).toEqual([
    'fairlead_store_errors_total{store="artifact",operation="loadArtifact",reason="STORE_UNAVAILABLE"} 1',
    'fairlead_store_errors_total{store="artifact",operation="loadArtifact",reason="INTERNAL"} 1',
  ]);
});

it("times appends of sessions by how they ended", async () => {
  const registry = new MetricRegistry();
  const { fake, observe } = createWorld(registry);
  const store = fake();
  const journal = observe("session", store);
  await journal.append();
  store.failure = new PlatformError("LEASE_LOST", "Another runner has it.");
  await expect(journal.append()).rejects.toBe(store.failure);
  store.failure = new PlatformError("STORE_UNAVAILABLE", "Away.");
  await expect(journal.append()).rejects.toBe(store.failure);
  expect(linesOf(prometheusText(registry), /_(count|sum)\{|le="0.0(1|25)"\S+"ok"/)).toEqual([
    'fairlead_append_duration_seconds_bucket{le="0.01",operation="append",outcome="ok"} 0',
    'fairlead_append_duration_seconds_bucket{le="0.025",operation="append",outcome="ok"} 1',
    'fairlead_append_duration_seconds_sum{operation="append",outcome="ok"} 0.02',
    'fairlead_append_duration_seconds_count{operation="append",outcome="ok"} 1',
    'fairlead_append_duration_seconds_sum{operation="append",outcome="refused"} 0.02',
    'fairlead_append_duration_seconds_count{operation="append",outcome="refused"} 1',
    'fairlead_append_duration_seconds_sum{operation="append",outcome="failed"} 0.02',
    'fairlead_append_duration_seconds_count{operation="append",outcome="failed"} 1',
  ]);
});

it("reports the trace of an append to scrapers that ask for OpenMetrics", async () => {
  using metrics = createMetrics({ clock: systemClock, exemplars: true });
  const { fake, observe } = createWorld(metrics.registry);
  const journal = observe("session", fake());
  const traceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await inCallScope({ traceParent }, () => journal.append());
  const { text } = await metrics.read("application/openmetrics-text");
  expect(linesOf(text, /append.*trace_id/)).toEqual([
    'fairlead_append_duration_seconds_bucket{le="0.025",operation="append",outcome="ok"} 1 # {trace_id="0af7651916cd43dd8448eb211c80319c"} 0.02',
  ]);
});
