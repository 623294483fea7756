import { createHash } from "node:crypto";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { EVENT_ID_ATTRIBUTE } from "#kit/telemetry/in-memory-trace-store.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { traceAmbiguous } from "#kit/telemetry/trace-ambiguous.ts";
import type { TraceReader, TraceStore } from "#kit/telemetry/trace-store.ts";
import { LINK_EVENT_SCRIPT, LINK_TRACE_SCRIPT, RECORD_SPANS_SCRIPT } from "./record-spans-script.ts";
import type { RedisClient } from "./redis-client.ts";
import { RedisGuard } from "./redis-guard.ts";
import type { RedisObserver } from "./redis-observer.ts";
import { checkKeyPrefix, DEFAULT_KEY_PREFIX } from "./run-keys.ts";

/** Separates parts of a name: no identifier may contain it. */
const SEPARATOR = "\u0000";
/** Replaces an app or a user that a reader leaves open: no identifier is empty. */
const ANY = "";
/**
 * The most owners of sessions with one id that a search without names reads; a larger number is ambiguous in any case.
 */
const MAX_OWNERS = 100;

export interface RedisTraceStoreOptions {
  /** The caller closes it. */
  readonly redis: RedisClient;
  /** The release's prefix of every key; default `fairlead`. */
  readonly keyPrefix?: string | undefined;
  /** Default one hour, counted from the last span of a trace, of a session, of an event. */
  readonly ttlMs?: number | undefined;
  /** Default 2,000. Later spans of a trace are left out. */
  readonly maxSpansPerTrace?: number | undefined;
  /** Default 1 MiB. Attributes may contain prompts if that is enabled. */
  readonly maxBytesPerTrace?: number | undefined;
  /** Default 100: a session's older traces are no longer found by the session. */
  readonly maxTracesPerSession?: number | undefined;
  readonly observer?: RedisObserver | undefined;
  /** Ids of calls, so that a repeated one is recognised. */
  readonly ids?: IdGenerator | undefined;
}

/**
 * Traces that every gateway can read. A session's part of a trace is a list of spans, so that sessions with the same
 * trace id stay separate; sessions and events refer to these lists and to indexes in them. A session's id refers to the
 * apps and users that have a session with that id. Each key has its own slot and expires by itself: a reference to an
 * expired key finds nothing.
 */
export class RedisTraceStore implements TraceStore, Disposable {
  readonly #redis: RedisClient;
  readonly #guard: RedisGuard;
  readonly #prefix: string;
  readonly #ids: IdGenerator;
  readonly #ttlMs: number;
  readonly #maxSpansPerTrace: number;
  readonly #maxBytesPerTrace: number;
  readonly #maxTracesPerSession: number;

  constructor(options: RedisTraceStoreOptions) {
    this.#redis = options.redis;
    this.#guard = new RedisGuard(options.redis, options.observer);
    this.#prefix = checkKeyPrefix(options.keyPrefix ?? DEFAULT_KEY_PREFIX);
    this.#ids = options.ids ?? new UuidV7Generator();
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

  byEvent(reader: TraceReader, eventId: string): Promise<SpanRecord | undefined> {
    return this.#guard.run("read-trace", async () => {
      const place = await this.#redis.hget(this.#eventKey(eventId), readerField(reader));
      if (place === null) return undefined;
      const [list = "", index] = place.split(SEPARATOR);
      const span = await this.#redis.lindex(this.#spansKey(list), Number(index));
      return span === null ? undefined : toSpan(span);
    });
  }

  bySession(reader: TraceReader, sessionId: string): Promise<readonly SpanRecord[]> {
    return this.#guard.run("read-trace", async () => {
      const session = await this.#findSession(reader, sessionId);
      if (session === undefined) return [];
      const traceIds = await this.#redis.zrange(this.#sessionKey(session), 0, -1);
      const keys = traceIds.map((traceId) => this.#spansKey(listName(session, traceId)));
      const lists = await Promise.all(keys.map((key) => this.#redis.lrange(key, 0, -1)));
      return lists.flatMap((list) => list.map(toSpan)).sort((left, right) => left.startTime - right.startTime);
    });
  }

  [Symbol.dispose](): void {
    this.#guard.dispose();
  }

  /** The only session that the reader can mean; undefined if there is none. */
  async #findSession({ appName, userId }: TraceReader, id: string): Promise<SessionKey | undefined> {
    if (appName !== undefined && userId !== undefined) return { appName, userId, id };
    const owners = await this.#redis.zrange(this.#ownersKey(id), 0, -1);
    const sessions = owners
      .map((owner) => owner.split(SEPARATOR))
      .map(([app = "", user = ""]) => ({ appName: app, userId: user, id }))
      .filter((session) => session.appName === (appName ?? session.appName))
      .filter((session) => session.userId === (userId ?? session.userId));
    if (sessions.length > 1) throw traceAmbiguous(id);
    return sessions[0];
  }

  async #recordTrace(session: SessionKey, traceId: string, spans: readonly SpanRecord[]): Promise<void> {
    const jsons = spans.map((span) => JSON.stringify(span));
    const bounds = [this.#maxSpansPerTrace, this.#maxBytesPerTrace, this.#ttlMs];
    const list = listName(session, traceId);
    const name = this.#spansKey(list);
    const keys = [name, `${name}:bytes`, `${name}:call:${this.#ids.next()}`];
    const [reply] = await Promise.all([
      RECORD_SPANS_SCRIPT.run(this.#redis, keys, [...bounds, ...jsons]),
      this.#linkSession(session, traceId, spans[0]?.startTime ?? 0),
    ]);
    // The script returns two numbers.
    const [first, added] = reply as readonly [number, number];
    await Promise.all(
      spans.slice(0, added).map((span, index) => this.#linkEvent(session, span, `${list}${SEPARATOR}${first + index}`)),
    );
  }

  async #linkSession(session: SessionKey, traceId: string, startTime: number): Promise<void> {
    const owner = `${session.appName}${SEPARATOR}${session.userId}`;
    await Promise.all([
      LINK_TRACE_SCRIPT.run(
        this.#redis,
        [this.#sessionKey(session)],
        [this.#maxTracesPerSession, this.#ttlMs, startTime, traceId],
      ),
      LINK_TRACE_SCRIPT.run(this.#redis, [this.#ownersKey(session.id)], [MAX_OWNERS, this.#ttlMs, startTime, owner]),
    ]);
  }

  async #linkEvent({ appName, userId }: SessionKey, span: SpanRecord, place: string): Promise<void> {
    const eventId = span.attributes[EVENT_ID_ATTRIBUTE];
    if (typeof eventId !== "string" || eventId === "") return;
    const readers = [{ appName, userId }, { appName }, { userId }, {}].map(readerField);
    await LINK_EVENT_SCRIPT.run(this.#redis, [this.#eventKey(eventId)], [place, this.#ttlMs, ...readers]);
  }

  #spansKey(list: string): string {
    return `${this.#prefix}:trace:{${list}}`;
  }

  #sessionKey(session: SessionKey): string {
    return `${this.#prefix}:trace-session:${listName(session, "")}`;
  }

  #ownersKey(sessionId: string): string {
    return `${this.#prefix}:trace-owners:${sessionId}`;
  }

  #eventKey(eventId: string): string {
    return `${this.#prefix}:trace-event-spans:${eventId}`;
  }
}

/** Names a session's part of a trace: unique, and free of characters with a meaning in a key. */
function listName({ appName, userId, id }: SessionKey, traceId: string): string {
  const name = [appName, userId, id, traceId].join(SEPARATOR);
  return createHash("sha256").update(name).digest("base64url");
}

function readerField({ appName = ANY, userId = ANY }: TraceReader): string {
  return `${appName}${SEPARATOR}${userId}`;
}

function toSpan(json: string): SpanRecord {
  // Only `record` writes spans.
  return JSON.parse(json) as SpanRecord;
}
