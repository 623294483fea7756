import { describe, expect, it } from "vitest";
import type { CacheMetadata } from "#kit/events/cache-metadata.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createContextCacheConfig } from "#kit/models/context-cache-config.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { contextCache } from "./context-cache.ts";

const config = createContextCacheConfig();
const cacheMetadata: CacheMetadata = { cacheName: "caches/1", fingerprint: "f", contentsCount: 2, invocationsUsed: 3 };

function event(extra: Partial<Event>): Event {
  return createEvent({ id: "e", invocationId: "earlier", author: "helper", timestamp: 0, ...extra });
}

function requestAfter(...events: readonly Event[]) {
  const step = createStep({ events, contextCache: config });
  contextCache(step);
  const { previous, promptTokenCount } = step.request.contextCache ?? {};
  return { previous, promptTokenCount };
}

describe("the share of a request that asks for caching", () => {
  it("is left out where the app has not switched it on", () => {
    const step = createStep();
    contextCache(step);
    expect(step.request.contextCache).toBeUndefined();
  });

  it("creates nothing without an earlier call of the agent", () => {
    const other = event({ author: "other", cacheMetadata, usageMetadata: { promptTokenCount: 5 } });
    const step = createStep({ events: [other, event({})], contextCache: config });
    contextCache(step);
    expect(step.request.contextCache).toEqual({ config, onFailure: expect.any(Function) });
  });

  it("names the cache of the newest call, whose uses count one more in another invocation", () => {
    const again = { ...cacheMetadata, invocationsUsed: 4 };
    expect(requestAfter(event({ cacheMetadata }), event({})).previous).toEqual(again);
    expect(requestAfter(event({ cacheMetadata, invocationId: "i" })).previous).toEqual(cacheMetadata);
    const { invocationsUsed: _, ...fresh } = cacheMetadata;
    expect(requestAfter(event({ cacheMetadata: fresh })).previous).toEqual({ ...fresh, invocationsUsed: 1 });
  });

  it("passes the mark of a prompt that is not cached yet on as it is", () => {
    const uncached: CacheMetadata = { fingerprint: "f", contentsCount: 2 };
    expect(requestAfter(event({ cacheMetadata: uncached })).previous).toEqual(uncached);
  });

  it("has the size of the agent's newest prompt, with or without a cache", () => {
    const [older, newest] = [{ promptTokenCount: 5 }, { promptTokenCount: 7 }];
    const events = [event({ cacheMetadata, usageMetadata: older }), event({ usageMetadata: newest })];
    expect(requestAfter(...events)).toEqual({ previous: undefined, promptTokenCount: 7 });
    expect(requestAfter(event({ usageMetadata: {} })).promptTokenCount).toBeUndefined();
  });

  it("has a line in the log for a prompt that could not be cached", () => {
    const logger = new RecordingLogger();
    const step = createStep({ contextCache: config, logger });
    contextCache(step);
    step.request.contextCache?.onFailure(new Error("no cache"));
    expect(logger.lines).toMatchObject([{ level: "warn", fields: { agentName: "helper", sessionId: "s" } }]);
  });

  it("looks back over 200 events and no more", () => {
    const others = Array.from({ length: 200 }, () => event({ author: "other" }));
    const usageMetadata = { promptTokenCount: 5 };
    expect(requestAfter(event({ usageMetadata }), ...others.slice(1)).promptTokenCount).toBe(5);
    expect(requestAfter(event({ usageMetadata }), ...others).promptTokenCount).toBeUndefined();
  });
});
