import type { SessionKey } from "#kit/sessions/session.ts";
import { EVENT_ID_ATTRIBUTE } from "#kit/telemetry/in-memory-trace-store.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import type { TraceStore } from "#kit/telemetry/trace-store.ts";
import type { RedisClient } from "./create-redis.ts";
import { LINK_EVENT_SCRIPT, LINK_TRACE_SCRIPT, RECORD_SPANS_SCRIPT } from "./record-spans-script.ts";
import { RedisGuard } from "./redis-guard.ts";
import type { RedisObserver } from "./redis-observer.ts";
import { checkKeyPrefix, DEFAULT_KEY_PREFIX } from "./run-keys.ts";

/** Between an app's name and a trace's id: no identifier may hold it. */
const SEPARATOR = "\u0000";
const ANY_APP = "";

export interface RedisTraceStoreOptions {
  /** It stays the caller's. */
  readonly redis: RedisClient;
  /** The release's part of every key; default `agentplane`. */
  readonly keyPrefix?: string;
  /** Default one hour, counted from the last span of a trace, of a session, of an event. */
  readonly ttlMs?: number;
  /** Default 2,000. Later spans of a trace are left out. */
  readonly maxSpansPerTrace?: number;
  /** Default 1 MiB. Attributes may hold prompts when that is switched on. */
  readonly maxBytesPerTrace?: number;
  /** Default 100: a session's oldest traces are no longer found by it. */
  readonly maxTracesPerSession?: number;
  readonly observer?: RedisObserver;
}

/**
 * Traces that every gateway can read. A trace is a list of spans; sessions and events point to traces and to places in them.
 * Each of these keys lives in a slot of its own and expires by itself: a pointer to what is gone finds nothing.
 */
export class RedisTraceStore implements TraceStore, Disposable {
  readonly #redis: RedisClient;
  readonly #guard: RedisGuard;
  readonly #prefix: string;
  readonly #ttlMs: number;
  readonly #maxSpansPerTrace: number;
  readonly #maxBytesPerTrace: number;
  readonly #maxTracesPerSession: number;

  constructor(options: RedisTraceStoreOptions) {
    this.#redis = options.redis;
    this.#guard = new RedisGuard(options.redis, options.observer);
    this.#prefix = checkKeyPrefix(options.keyPrefix ?? DEFAULT_KEY_PREFIX);
    this.#ttlMs = options.ttlMs ?? 60 * 60 * 1000;
    this.#maxSpansPerTrace = options.maxSpansPerTrace ?? 2000;
    this.#maxBytesPerTrace = options.maxBytesPerTrace ?? 1024 * 1024;
    this.#maxTracesPerSession = options.maxTracesPerSession ?? 100;
  }

  async record(session: SessionKey, spans: readonly SpanRecord[]): Promise<void> {
    const traces = Map.groupBy(spans, (span) => span.traceId);
    await this.#guard.run("record-trace", () =>
      Promise.all([...traces].map(([traceId, ofTrace]) => this.#recordTrace(session, traceId, ofTrace))),
    );
  }

  byEvent(appName: string | undefined, eventId: string): Promise<SpanRecord | undefined> {
    return this.#guard.run("read-trace", async () => {
      const place = await this.#redis.hget(this.#eventKey(eventId), appName ?? ANY_APP);
      if (place === null) return undefined;
      const [traceId = "", index] = place.split(SEPARATOR);
      const span = await this.#redis.lindex(this.#spansKey(traceId), Number(index));
      return span === null ? undefined : toSpan(span);
    });
  }

  bySession(appName: string | undefined, sessionId: string): Promise<readonly SpanRecord[]> {
    return this.#guard.run("read-trace", async () => {
      const members = await this.#redis.zrange(this.#sessionKey(sessionId), 0, -1);
      const traceIds = new Set<string>();
      for (const member of members) {
        const [app, traceId = ""] = member.split(SEPARATOR);
        if (appName === undefined || app === appName) traceIds.add(traceId);
      }
      const lists = await Promise.all([...traceIds].map((id) => this.#redis.lrange(this.#spansKey(id), 0, -1)));
      return lists.flatMap((list) => list.map(toSpan)).sort((left, right) => left.startTime - right.startTime);
    });
  }

  [Symbol.dispose](): void {
    this.#guard.dispose();
  }

  async #recordTrace(session: SessionKey, traceId: string, spans: readonly SpanRecord[]): Promise<void> {
    const jsons = spans.map((span) => JSON.stringify(span));
    const bounds = [this.#maxSpansPerTrace, this.#maxBytesPerTrace, this.#ttlMs];
    const keys = [this.#spansKey(traceId), `${this.#spansKey(traceId)}:bytes`];
    const [reply] = await Promise.all([
      RECORD_SPANS_SCRIPT.run(this.#redis, keys, [...bounds, ...jsons]),
      this.#linkSession(session, traceId, spans[0]?.startTime ?? 0),
    ]);
    // The script answers two numbers.
    const [first, added] = reply as readonly [number, number];
    await Promise.all(
      spans.slice(0, added).map((span, index) => this.#linkEvent(session.appName, span, first + index)),
    );
  }

  async #linkSession({ appName, id }: SessionKey, traceId: string, startTime: number): Promise<void> {
    const member = `${appName}${SEPARATOR}${traceId}`;
    const args = [this.#maxTracesPerSession, this.#ttlMs, startTime, member];
    await LINK_TRACE_SCRIPT.run(this.#redis, [this.#sessionKey(id)], args);
  }

  async #linkEvent(appName: string, span: SpanRecord, index: number): Promise<void> {
    const eventId = span.attributes[EVENT_ID_ATTRIBUTE];
    if (typeof eventId !== "string" || eventId === "") return;
    const args = [appName, `${span.traceId}${SEPARATOR}${index}`, this.#ttlMs];
    await LINK_EVENT_SCRIPT.run(this.#redis, [this.#eventKey(eventId)], args);
  }

  #spansKey(traceId: string): string {
    return `${this.#prefix}:trace:{${traceId}}`;
  }

  #sessionKey(sessionId: string): string {
    return `${this.#prefix}:trace-session:${sessionId}`;
  }

  #eventKey(eventId: string): string {
    return `${this.#prefix}:trace-event:${eventId}`;
  }
}

function toSpan(json: string): SpanRecord {
  // Only `record` writes spans.
  return JSON.parse(json) as SpanRecord;
}
