import { once } from "node:events";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import type { Logger } from "#kit/platform/logger.ts";
import {
  checkOptions,
  flag,
  integer,
  listOf,
  logger,
  matching,
  type OptionRule,
  type OptionRules,
  record,
  required,
  text,
} from "#kit/schema/check-options.ts";
import type { RunTransport } from "#ports/runs/run-transport.ts";
import { createRedis, type RedisConnectionOptions, type RedisSentinels, type RedisTls } from "./create-redis.ts";
import type { RedisClient } from "./redis-client.ts";
import { RedisEndedSessions } from "./redis-ended-sessions.ts";
import { RedisIdempotencyStore } from "./redis-idempotency-store.ts";
import type { RedisObserver } from "./redis-observer.ts";
import { RedisQuotaLedger } from "./redis-quota-ledger.ts";
import { RedisRunNotifications } from "./redis-run-notifications.ts";
import { RedisRunQuota } from "./redis-run-quota.ts";
import { RedisRunStream, type RedisRunStreamOptions } from "./redis-run-stream.ts";
import { RedisTraceStore } from "./redis-trace-store.ts";

/** Options of `openRedisRunStream`: the address of Redis, exactly one of `url`, `sentinels` and `clusterNodes`, and more. */
export interface RedisRunStreamSettings
  extends RedisConnectionOptions,
    Pick<RedisRunTransportOptions, "finishedTtlMs" | "abandonedTtlMs" | "maxBytesPerRun"> {
  /** The first part of all keys, one for each installation that shares the server; `fairlead` by default. */
  readonly keyPrefix?: string | undefined;
  /** How long traces are kept, in milliseconds; one hour by default. */
  readonly traceTtlMs?: number | undefined;
}

/** The services that runs use in Redis. Disposing it ends all readers and closes the connection. */
export interface RedisRunTransport extends Required<RunTransport>, AsyncDisposable {}

const nodeRule: OptionRule = {
  must: "{ host, port }",
  accepts: (value) => isJsonObject(value) && text.accepts(value["host"]) && integer(1).accepts(value["port"]),
};
const milliseconds = integer(1, " milliseconds");

const RULES: OptionRules<RedisRunStreamSettings> = {
  url: matching("a redis:// or rediss:// URL", /^rediss?:\/\//),
  sentinels: record<RedisSentinels>({
    name: required(text),
    nodes: required(listOf(nodeRule)),
    username: text,
    password: text,
  }),
  clusterNodes: listOf(nodeRule),
  username: text,
  password: text,
  tls: record<RedisTls>({ ca: text, cert: text, key: text, serverName: text }),
  database: integer(0),
  connectionName: text,
  commandTimeoutMs: milliseconds,
  connectTimeoutMs: milliseconds,
  maxReconnectDelayMs: milliseconds,
  autoPipelining: flag,
  logger,
  keyPrefix: matching("1 to 100 characters without spaces and braces", /^[^{}\s]{1,100}$/),
  traceTtlMs: milliseconds,
  finishedTtlMs: milliseconds,
  abandonedTtlMs: milliseconds,
  maxBytesPerRun: integer(1, " bytes"),
};

const DEFAULT_CONNECT_TIMEOUT_MS = 2000;

export async function openRedisRunTransport(options: RedisRunStreamSettings): Promise<RedisRunTransport> {
  checkOptions("openRedisRunStream", options, RULES);
  await using stack = new AsyncDisposableStack();
  const redis = createRedis(options);
  stack.defer(() => redis.disconnect());
  await connected(redis, options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS);
  const transport = stack.use(createRedisRunTransport({ ...options, redis }));
  const owned = stack.move();
  return { ...transport, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Resolves with the first connection. A wrong address or password must not look like an outage that will pass. */
async function connected(redis: RedisClient, timeoutMs: number): Promise<void> {
  if (redis.status === "ready") return;
  try {
    await once(redis, "ready", { signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    throw new PlatformError(
      "STORE_UNAVAILABLE",
      `openRedisRunStream: Redis did not accept a connection within ${timeoutMs} ms${codeOf(error)}. Check the address, the user and the password.`,
      { cause: error },
    );
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
}

export interface RedisRunTransportOptions
  extends Pick<RedisRunStreamOptions, "finishedTtlMs" | "abandonedTtlMs" | "maxBytesPerRun"> {
  /** The caller closes it, after the transport. */
  readonly redis: RedisClient;
  readonly keyPrefix?: string | undefined;
  readonly traceTtlMs?: number | undefined;
  readonly observer?: RedisObserver | undefined;
  readonly logger?: Logger | undefined;
  /** The system's clock if absent. */
  readonly clock?: Clock;
}

/** Everything that runs need of Redis, on one client. Disposing it ends all readers. */
export function createRedisRunTransport(options: RedisRunTransportOptions): Required<RunTransport> & AsyncDisposable {
  const stack = new AsyncDisposableStack();
  return {
    runStream: stack.use(new RedisRunStream(options)),
    traceStore: stack.use(new RedisTraceStore({ ...options, ttlMs: options.traceTtlMs })),
    idempotencyStore: stack.use(new RedisIdempotencyStore(options)),
    endedSessions: stack.use(new RedisEndedSessions(options)),
    runNotifications: stack.use(new RedisRunNotifications(options)),
    runQuota: stack.use(new RedisRunQuota(options)),
    quotaLedger: stack.use(new RedisQuotaLedger({ ...options, clock: options.clock ?? systemClock })),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
