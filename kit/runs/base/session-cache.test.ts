import { getHeapStatistics } from "node:v8";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions, type EventCompaction } from "#kit/events/event-actions.ts";
import { type StoredEvent, toEventRecord } from "#kit/events/event-record.ts";
import type { SessionSnapshot } from "#kit/sessions/run-journal.ts";
import { type CachedSession, defaultCacheSize, noteChangedPast, SessionCache, updateCached } from "./session-cache.ts";

const key = (id: string) => ({ appName: "app", userId: "ada", id });

const event = (text: string): Event =>
  createEvent({ id: text, invocationId: "i", author: "helper", timestamp: 0, content: modelContent(text) });

const storedAt = (...sequences: readonly number[]): StoredEvent[] =>
  sequences.map((sequence) => ({ ...toEventRecord(event(`event ${sequence}`)), sequence }));

function snapshot(events: readonly StoredEvent[], rest: Partial<SessionSnapshot> = {}): SessionSnapshot {
  const revision = events.at(-1)?.sequence ?? 0;
  return { incarnation: "a", revision, events, complete: true, state: { tone: "calm" }, lastUpdateTime: 7, ...rest };
}

function cachedOf(size: number, id: string): CachedSession {
  return { ...updateCached(undefined, key(id), snapshot([])), size };
}

describe("SessionCache", () => {
  it("returns an entry once, without its state", () => {
    const cache = new SessionCache();
    const entry = updateCached(undefined, key("a"), snapshot(storedAt(1)));
    cache.put(entry);
    expect(cache.take(key("a"))).toBe(entry);
    expect(entry.session.state).toEqual({});
    expect(cache.take(key("a"))).toBeUndefined();
  });

  it("drops as many of the entries used longest ago as the others need", () => {
    const cache = new SessionCache(20);
    for (const id of ["a", "b"]) cache.put(cachedOf(10, id));
    const used = cache.take(key("a"));
    if (used !== undefined) cache.put(used);
    cache.put(cachedOf(10, "c"));
    expect(["a", "b", "c"].filter((id) => cache.take(key(id)) !== undefined)).toEqual(["a", "c"]);
  });

  it("counts an entry once, and no longer when it was taken", () => {
    const cache = new SessionCache(20);
    for (const id of ["a", "a", "b"]) cache.put(cachedOf(10, id));
    cache.take(key("a"));
    cache.put(cachedOf(10, "c"));
    expect(["b", "c"].map((id) => cache.take(key(id))?.session.id)).toEqual(["b", "c"]);
  });
});

describe("an entry that nobody uses", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it("is dropped after two rounds without a use, and keeps no timer alive", () => {
    const cache = new SessionCache();
    for (const id of ["idle", "busy"]) cache.put(cachedOf(10, id));
    for (let round = 0; round < 2; round += 1) {
      const used = cache.take(key("busy"));
      if (used !== undefined) cache.put(used);
      vi.advanceTimersByTime(150_000);
    }
    expect(cache.take(key("idle"))).toBeUndefined();
    const used = cache.take(key("busy"));
    expect(used?.session.id).toBe("busy");
    vi.advanceTimersByTime(300_000);
    expect(vi.getTimerCount()).toBe(0);
    if (used !== undefined) cache.put(used);
    vi.advanceTimersByTime(300_000);
    expect([cache.take(key("busy")), vi.getTimerCount()]).toEqual([undefined, 0]);
  });

  it("gives its size back", () => {
    const cache = new SessionCache(20);
    cache.put(cachedOf(20, "idle"));
    vi.advanceTimersByTime(300_000);
    for (const id of ["a", "b"]) cache.put(cachedOf(10, id));
    expect(["a", "b"].filter((id) => cache.take(key(id)) !== undefined)).toEqual(["a", "b"]);
  });
});

it("has the size of a thirty-second of the heap by default, at most 64 MiB", () => {
  const { heap_size_limit: limit } = getHeapStatistics();
  expect(defaultCacheSize()).toBe(Math.min(64 * 1024 * 1024, Math.floor(limit / 32)));
});

describe("a session as the journal knows it", () => {
  it("is what was cached and what came since, with the size of both", () => {
    const [first, second] = storedAt(1, 2);
    if (first === undefined || second === undefined) throw new Error("no events");
    const cached = updateCached(undefined, key("a"), snapshot([first], { complete: false }));
    expect(cached.size).toBe(2048 + first.json.length);
    const updated = updateCached(cached, key("a"), snapshot([second], { complete: false, incarnation: "b" }));
    expect(updated).toBe(cached);
    expect([cached.size, cached.incarnation]).toEqual([2048 + first.json.length + second.json.length, "b"]);
    expect(cached.session).toEqual({
      ...key("a"),
      events: [event("event 1"), event("event 2")],
      state: { tone: "calm" },
      revision: 2,
      lastUpdateTime: 7,
    });
  });

  it("is read anew when nothing of the cache counts any more", () => {
    const cached = updateCached(undefined, key("a"), snapshot(storedAt(1, 2)));
    expect(updateCached(cached, key("a"), snapshot(storedAt(1))).session.events).toEqual([event("event 1")]);
  });

  it.each([
    [[], { from: 1, earlier: [] }],
    [[1, 2, 3], { from: 1, earlier: [] }],
    [[6], { from: 6, earlier: [] }],
    [[1, 3, 5, 6, 7], { from: 5, earlier: [1, 3] }],
  ])("knows where the gaps of %j end", (sequences, places) => {
    expect(updateCached(undefined, key("a"), snapshot(storedAt(...sequences))).history.historyStart).toEqual(places);
  });
});

describe("an event that changes what earlier ones mean", () => {
  const summary = (compaction: Partial<EventCompaction>): Event => ({
    ...event("summary"),
    actions: createEventActions({
      compaction: { compactedContent: modelContent("told"), startTimestamp: 0, endTimestamp: 0, ...compaction },
    }),
  });
  const range = { startSequence: 1, endSequence: 6 };

  it.each<[string, Event, boolean]>([
    ["summary that keeps nothing", summary(range), false],
    ["summary that keeps what is here", summary({ ...range, keptSequences: [1, 5, 6] }), false],
    ["summary that keeps what was left out", summary({ ...range, keptSequences: [1, 4] }), true],
    ["summary without start", summary({ endSequence: 6 }), true],
    ["summary without end", summary({ startSequence: 1 }), true],
    ["rewind", { ...event("rewind"), actions: createEventActions({ rewindBeforeInvocationId: "i" }) }, true],
  ])("needs more than a bounded session has: %s", (_name, changing, lacksRewound) => {
    const bounded = updateCached(undefined, key("a"), snapshot(storedAt(1, 5, 6)));
    noteChangedPast(bounded, changing);
    expect([bounded.needsHistoryStart, bounded.lacksRewound]).toEqual([true, lacksRewound]);
    const whole = updateCached(undefined, key("a"), snapshot(storedAt(1, 2)));
    noteChangedPast(whole, changing);
    expect([whole.needsHistoryStart, whole.lacksRewound]).toEqual([true, false]);
  });
});
