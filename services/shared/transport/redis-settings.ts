import type { RedisConnectionOptions, RedisNode } from "#adapters/redis/create-redis.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "../config/config-schema.ts";

const NEEDED_BY_TRANSPORT = { TRANSPORT: ["redis"] } as const;

/** Settings of Redis, if it carries the streams of runs, their traces, and notifications between runners. */
export const redisConfigSchema = Type.Object({
  REDIS_URL: Type.String({
    default: "",
    secret: true,
    neededBy: NEEDED_BY_TRANSPORT,
    orElse: ["REDIS_SENTINELS", "REDIS_CLUSTER_NODES"],
    pattern: "^rediss?://",
    description: "redis://[user:password@]host[:port][/database], or rediss:// for TLS.",
  }),
  REDIS_SENTINELS: Type.Array(Type.String(), {
    default: [],
    description: "In place of REDIS_URL: host:port of the sentinels that watch Redis.",
  }),
  REDIS_SENTINEL_NAME: Type.String({
    default: "mymaster",
    description: "Name of the group that the sentinels watch.",
  }),
  REDIS_CLUSTER_NODES: Type.Array(Type.String(), {
    default: [],
    description: "In place of REDIS_URL: host:port of some nodes of a Redis cluster.",
  }),
  REDIS_USERNAME: Type.String({ default: "", description: "User of Redis, in place of that in the URL." }),
  REDIS_PASSWORD: Type.String({
    default: "",
    secret: true,
    description: "Password of Redis, in place of that in the URL.",
  }),
  REDIS_TLS_CA: Type.String({
    default: "",
    secret: true,
    description: "Certificates (PEM) that Redis is checked against; turns TLS on.",
  }),
  REDIS_KEY_PREFIX: Type.String({
    default: "fairlead",
    pattern: "^[^{}\\s]{1,100}$",
    description: "First part of all keys in Redis: one for each installation that shares the server.",
  }),
});

type RedisConfig = ConfigOf<typeof redisConfigSchema>;

/** The address of Redis in its adapter's form. Throws `CONFIGURATION` for an invalid address. */
export function redisAddress(config: RedisConfig): RedisConnectionOptions {
  const { REDIS_URL, REDIS_SENTINELS, REDIS_SENTINEL_NAME, REDIS_CLUSTER_NODES } = config;
  const { REDIS_USERNAME, REDIS_PASSWORD, REDIS_TLS_CA } = config;
  return {
    url: REDIS_URL !== "" ? REDIS_URL : undefined,
    sentinels:
      REDIS_SENTINELS.length > 0
        ? { name: REDIS_SENTINEL_NAME, nodes: nodesOf("REDIS_SENTINELS", REDIS_SENTINELS) }
        : undefined,
    clusterNodes: REDIS_CLUSTER_NODES.length > 0 ? nodesOf("REDIS_CLUSTER_NODES", REDIS_CLUSTER_NODES) : undefined,
    username: REDIS_USERNAME !== "" ? REDIS_USERNAME : undefined,
    password: REDIS_PASSWORD !== "" ? REDIS_PASSWORD : undefined,
    tls: REDIS_TLS_CA !== "" ? { ca: REDIS_TLS_CA } : undefined,
  };
}

function nodesOf(setting: string, texts: readonly string[]): readonly RedisNode[] {
  return texts.map((text) => {
    const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
    if (host === undefined)
      throw new PlatformError("CONFIGURATION", `${setting} has "${text}", which is not host:port.`);
    return { host, port: Number(port) };
  });
}
