import { hash } from "node:crypto";
import { inTenant, type TenantScoped } from "#kit/names/tenant.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { EVENT_ID_ATTRIBUTE } from "#ports/runs/in-memory-trace-store.ts";
import { MAX_TRACE_CHARACTERS, type TraceReader, type TraceStore, traceAmbiguous } from "#ports/runs/trace-store.ts";
import type { RedisClient } from "./redis-client.ts";
import { RedisGuard } from "./redis-guard.ts";
import type { RedisObserver } from "./redis-observer.ts";
import { checkKeyPrefix, DEFAULT_KEY_PREFIX, tenantPrefix } from "./run-keys.ts";
import { type TraceWrite, writeTrace } from "./scripts/trace-script.ts";

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
  /**
   * How long data is kept, in milliseconds; one hour by default, counted from the last span of a trace, of a session,
   * of an event.
   */
  readonly ttlMs?: number | undefined;
  /** The most spans of a trace; 2,000 by default. Later spans are left out. */
  readonly maxSpansPerTrace?: number | undefined;
  /** The most bytes of a trace; 1 MiB by default. Attributes may contain prompts if that is enabled. */
  readonly maxBytesPerTrace?: number | undefined;
  /** The most traces of a session; 100 by default. Older traces are not found by the session. */
  readonly maxTracesPerSession?: number | undefined;
  readonly observer?: RedisObserver | undefined;
  /** Ids of calls, so that a repeated one is recognised. */
  readonly ids?: IdGenerator | undefined;
}

/**
 * Traces that every gateway can read. A session's part of a trace is a list of spans, so that sessions with the same
 * trace id stay separate; sessions and events refer to these lists and to spans in them. A session's id refers to the
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
    const writes = [...traces].flatMap(([traceId, ofTrace]) => this.#writesOf(session, traceId, ofTrace));
    if (writes.length > 0) await this.#guard.run("record-trace", () => writeTrace(this.#redis, writes));
  }

  byEvent(reader: TraceReader, eventId: string): Promise<SpanRecord | undefined> {
    return this.#guard.run("read-trace", async () => {
      const place = await this.#redis.hget(this.#eventKey(reader, eventId), readerField(reader));
      if (place === null) return undefined;
      const [list = "", spanId] = place.split(SEPARATOR);
      // Only debugging reads: writers need not wait for the span's index.
      const spans = await this.#redis.lrange(this.#spansKey(reader, list), 0, -1);
      return spans.map(toSpan).findLast((span) => span.spanId === spanId);
    });
  }

  bySession(reader: TraceReader, sessionId: string): Promise<readonly SpanRecord[]> {
    return this.#guard.run("read-trace", async () => {
      const session = await this.#findSession(reader, sessionId);
      if (session === undefined) return [];
      const traceIds = await this.#redis.zrange(this.#sessionKey(session), 0, -1);
      const spans: SpanRecord[] = [];
      let characters = 0;
      // The newest first; each may have as many bytes as a trace may.
      for (const traceId of traceIds.reverse()) {
        const list = await this.#redis.lrange(this.#spansKey(session, listName(session, traceId)), 0, -1);
        for (const json of list) characters += json.length;
        if (characters > MAX_TRACE_CHARACTERS && spans.length > 0) break;
        spans.push(...list.map(toSpan));
      }
      return spans.sort((left, right) => left.startTime - right.startTime);
    });
  }

  [Symbol.dispose](): void {
    this.#guard.dispose();
  }

  /** The only session that the reader can mean; undefined if there is none. */
  async #findSession({ tenantId, appName, userId }: TraceReader, id: string): Promise<SessionKey | undefined> {
    const tenant = inTenant(tenantId);
    if (appName !== undefined && userId !== undefined) return { ...tenant, appName, userId, id };
    const owners = await this.#redis.zrange(this.#ownersKey(tenant, id), 0, -1);
    const sessions = owners
      .map((owner) => owner.split(SEPARATOR))
      .map(([app = "", user = ""]) => ({ ...tenant, appName: app, userId: user, id }))
      .filter((session) => session.appName === (appName ?? session.appName))
      .filter((session) => session.userId === (userId ?? session.userId));
    if (sessions.length > 1) throw traceAmbiguous(id);
    return sessions[0];
  }

  #writesOf(session: SessionKey, traceId: string, recorded: readonly SpanRecord[]): readonly TraceWrite[] {
    // More than that cannot be kept.
    const spans = recorded.slice(0, this.#maxSpansPerTrace);
    const ttlMs = this.#ttlMs;
    const startTime = spans[0]?.startTime ?? 0;
    const owner = `${session.appName}${SEPARATOR}${session.userId}`;
    const list = listName(session, traceId);
    const key = this.#spansKey(session, list);
    return [
      {
        kind: "spans",
        keys: [key, `${key}:bytes`, `${key}:call:${this.#ids.next()}`],
        args: [this.#maxSpansPerTrace, this.#maxBytesPerTrace, ttlMs, ...spans.map((span) => JSON.stringify(span))],
      },
      {
        kind: "member",
        keys: [this.#sessionKey(session)],
        args: [this.#maxTracesPerSession, ttlMs, startTime, traceId],
      },
      { kind: "member", keys: [this.#ownersKey(session, session.id)], args: [MAX_OWNERS, ttlMs, startTime, owner] },
      ...this.#eventWrites(session, list, spans),
    ];
  }

  #eventWrites(session: SessionKey, list: string, spans: readonly SpanRecord[]): readonly TraceWrite[] {
    const { appName, userId } = session;
    const writes: TraceWrite[] = [];
    const readers = [{ appName, userId }, { appName }, { userId }, {}].map(readerField);
    for (const { attributes, spanId } of spans) {
      const eventId = attributes[EVENT_ID_ATTRIBUTE];
      if (typeof eventId !== "string" || eventId === "") continue;
      const place = `${list}${SEPARATOR}${spanId}`;
      const args = [this.#ttlMs, ...readers.flatMap((reader) => [reader, place])];
      writes.push({ kind: "event", keys: [this.#eventKey(session, eventId)], args });
    }
    return writes;
  }

  #spansKey(owner: TenantScoped, list: string): string {
    return this.#key(owner, `trace:{${list}}`);
  }

  #sessionKey(session: SessionKey): string {
    return this.#key(session, `trace-session:${listName(session, "")}`);
  }

  #ownersKey(owner: TenantScoped, sessionId: string): string {
    return this.#key(owner, `trace-owners:${sessionId}`);
  }

  #eventKey(owner: TenantScoped, eventId: string): string {
    return this.#key(owner, `trace-event-spans:${eventId}`);
  }

  #key({ tenantId }: TenantScoped, name: string): string {
    return `${tenantPrefix(this.#prefix, tenantId)}:${name}`;
  }
}

/** Names a session's part of a trace: unique, and free of characters with a meaning in a key. */
function listName({ appName, userId, id }: SessionKey, traceId: string): string {
  const name = [appName, userId, id, traceId].join(SEPARATOR);
  return hash("sha256", name, "base64url");
}

function readerField({ appName = ANY, userId = ANY }: TraceReader): string {
  return `${appName}${SEPARATOR}${userId}`;
}

function toSpan(json: string): SpanRecord {
  // Only `record` writes spans.
  return JSON.parse(json) as SpanRecord;
}
