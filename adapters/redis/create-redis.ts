import { Cluster, type ClusterOptions, Redis, type RedisOptions } from "ioredis";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { gatherWrites } from "./gather-writes.ts";
import type { RedisClient } from "./redis-client.ts";

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/** PEM texts, and the name to check the server's certificate against if it differs from the host. */
export interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly serverName?: string;
}

export interface RedisSentinels {
  /** The name of the group that the sentinels watch. */
  readonly name: string;
  readonly nodes: readonly RedisNode[];
  readonly username?: string;
  readonly password?: string;
}

/**
 * The address of Redis and the settings of its connection. Exactly one of `url`, `sentinels` and `clusterNodes` is
 * given.
 */
export interface RedisConnectionOptions {
  /** `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url?: string | undefined;
  readonly sentinels?: RedisSentinels | undefined;
  /** Some of the cluster's nodes; the others are found through them. */
  readonly clusterNodes?: readonly RedisNode[] | undefined;
  /** Overrides the one in the URL. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Enables TLS; `rediss://` enables it with the system's authorities. */
  readonly tls?: RedisTls | undefined;
  /** Not in a cluster, which has only database 0. */
  readonly database?: number | undefined;
  /** Shown by `CLIENT LIST`. */
  readonly connectionName?: string | undefined;
  /** The time limit of a command, including the wait for the connection; 1,000 by default. */
  readonly commandTimeoutMs?: number | undefined;
  /** The time limit of an attempt to connect; 2,000 by default. */
  readonly connectTimeoutMs?: number | undefined;
  /** The longest pause between two attempts to connect; 2,000 by default. */
  readonly maxReconnectDelayMs?: number | undefined;
  /**
   * Sends the commands of one turn of the event loop as one pipeline; off by default. Measured: 50 runs that publish
   * concurrently gain 5 % at most, because the script's cost dominates, and a single one loses a quarter.
   */
  readonly autoPipelining?: boolean | undefined;
  /** Logs when the connection is lost and when it is established again. */
  readonly logger?: Logger | undefined;
}

const FIRST_RECONNECT_DELAY_MS = 50;
/** The system's probes then detect a dead peer that sent no reset. */
const KEEP_ALIVE_MS = 10_000;

/**
 * A client that connects by itself and keeps trying. While Redis is unavailable its commands fail within
 * `commandTimeoutMs`, and those in progress are sent once more after a quick reconnect: every script here may run
 * twice without harm, except that a request of a quota then counts as two.
 */
export function createRedis(options: RedisConnectionOptions): RedisClient {
  checkAddresses(options);
  const client =
    options.clusterNodes === undefined
      ? createSingle(options)
      : new Cluster(
          options.clusterNodes.map(({ host, port }) => ({ host, port })),
          toClusterOptions(options),
        );
  // Each adapter that uses the client listens for outages.
  client.setMaxListeners(0);
  gatherWrites(client);
  reportOutages(client, options.logger ?? silentLogger);
  return client;
}

function createSingle(options: RedisConnectionOptions): Redis {
  const mapped = toRedisOptions(options);
  return options.url === undefined ? new Redis(mapped) : new Redis(options.url, mapped);
}

/** The options for `ioredis`, except the address of a single server, which stays in the URL. */
export function toRedisOptions(options: RedisConnectionOptions): RedisOptions {
  const { sentinels, tls, connectionName } = options;
  return {
    ...toNodeOptions(options),
    maxRetriesPerRequest: 1,
    retryStrategy: reconnectDelay(options),
    connectionName,
    ...(sentinels !== undefined && {
      name: sentinels.name,
      sentinels: sentinels.nodes.map(({ host, port }) => ({ host, port })),
      sentinelUsername: sentinels.username,
      sentinelPassword: sentinels.password,
      ...(tls !== undefined && { enableTLSForSentinelMode: true, sentinelTLS: toTls(tls) }),
    }),
  };
}

export function toClusterOptions(options: RedisConnectionOptions): ClusterOptions {
  return {
    redisOptions: toNodeOptions(options),
    clusterRetryStrategy: reconnectDelay(options),
    // The queue of a cluster's client has no deadline, unlike that of a single server's client. `RedisGuard` waits
    // instead.
    enableOfflineQueue: false,
    enableAutoPipelining: options.autoPipelining === true,
    slotsRefreshTimeout: options.connectTimeoutMs ?? 2000,
    // A certificate names the host, not the address that the cluster announces.
    dnsLookup: options.tls && keepHost,
  };
}

function toNodeOptions({ username, password, tls, database, ...options }: RedisConnectionOptions) {
  return {
    commandTimeout: options.commandTimeoutMs ?? 1000,
    connectTimeout: options.connectTimeoutMs ?? 2000,
    keepAlive: KEEP_ALIVE_MS,
    enableAutoPipelining: options.autoPipelining === true,
    username,
    password,
    db: database,
    tls: tls && toTls(tls),
  } satisfies RedisOptions;
}

function toTls({ ca, cert, key, serverName }: RedisTls) {
  return {
    ca,
    cert,
    key,
    servername: serverName,
  };
}

function reconnectDelay({ maxReconnectDelayMs = 2000 }: RedisConnectionOptions): (attempt: number) => number {
  return (attempt) => Math.min(FIRST_RECONNECT_DELAY_MS * 2 ** Math.min(attempt - 1, 10), maxReconnectDelayMs);
}

function keepHost(host: string, callback: (error: null, address: string) => void): void {
  callback(null, host);
}

function checkAddresses({ url, sentinels, clusterNodes, database }: RedisConnectionOptions): void {
  const given = Object.entries({ url, sentinels, clusterNodes }).filter(([, value]) => value !== undefined);
  if (given.length !== 1)
    throw invalid(
      `Redis needs exactly one of url, sentinels and clusterNodes; given: ${given.map(([name]) => name).join(", ") || "none"}.`,
    );
  if (url !== undefined && !/^rediss?:\/\//.test(url))
    throw invalid("The URL of Redis must start with redis:// or rediss://.");
  if (sentinels?.nodes.length === 0) throw invalid("sentinels.nodes is empty: name at least one sentinel.");
  if (clusterNodes?.length === 0) throw invalid("clusterNodes is empty: name at least one node.");
  if (clusterNodes !== undefined && database !== undefined && database !== 0)
    throw invalid("A Redis cluster has only database 0: omit database.");
}

function invalid(message: string): PlatformError {
  return new PlatformError("CONFIGURATION", message);
}

/** Logs one line when an outage begins and one when it ends, however often the client tries in between. */
function reportOutages(client: RedisClient, logger: Logger): void {
  let isDown = false;
  // Without a listener the client prints errors to the console.
  client.on("error", (error: unknown) => {
    if (!isDown) logger.warn({ error }, "Redis cannot be reached; trying again");
    isDown = true;
  });
  client.on("reconnecting", () => {
    if (!isDown) logger.warn({}, "the connection to Redis is lost; trying again");
    isDown = true;
  });
  client.on("ready", () => {
    if (isDown) logger.info({}, "Redis is back");
    isDown = false;
  });
}
