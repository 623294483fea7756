import { Cluster, Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { createRedis, type RedisConnectionOptions, toClusterOptions, toRedisOptions } from "./create-redis.ts";

const NODES = [{ host: "one", port: 7000 }];

describe("the settings of one server", () => {
  it("bound every wait", () => {
    const { retryStrategy, ...options } = toRedisOptions({ url: "redis://host" });
    expect(options).toEqual({
      commandTimeout: 1000,
      connectTimeout: 2000,
      keepAlive: 10_000,
      enableAutoPipelining: false,
      maxRetriesPerRequest: 1,
    });
    expect([1, 2, 3, 6, 7, 1000].map((attempt) => retryStrategy?.(attempt))).toEqual([50, 100, 200, 1600, 2000, 2000]);
  });

  it("carry credentials, TLS, database, name and limits", () => {
    const options = toRedisOptions({
      url: "rediss://host",
      username: "user",
      password: "secret",
      tls: { ca: "CA", cert: "CERT", key: "KEY", serverName: "redis.internal" },
      database: 3,
      connectionName: "gateway",
      commandTimeoutMs: 5,
      connectTimeoutMs: 6,
      autoPipelining: true,
    });
    expect(options).toMatchObject({
      username: "user",
      password: "secret",
      tls: { ca: "CA", cert: "CERT", key: "KEY", servername: "redis.internal" },
      db: 3,
      connectionName: "gateway",
      commandTimeout: 5,
      connectTimeout: 6,
      enableAutoPipelining: true,
    });
  });

  it("reach a group through its sentinels, with TLS on both ways", () => {
    const sentinels = { name: "main", nodes: NODES, username: "watch", password: "other" };
    expect(toRedisOptions({ sentinels, tls: { ca: "CA" } })).toMatchObject({
      name: "main",
      sentinels: NODES,
      sentinelUsername: "watch",
      sentinelPassword: "other",
      tls: { ca: "CA" },
      enableTLSForSentinelMode: true,
      sentinelTLS: { ca: "CA" },
    });
  });
});

describe("the settings of a cluster", () => {
  it("give each node's connection the same limits and credentials", () => {
    const { redisOptions, clusterRetryStrategy } = toClusterOptions({
      clusterNodes: NODES,
      password: "secret",
      maxReconnectDelayMs: 70,
    });
    expect(redisOptions).toMatchObject({ password: "secret", commandTimeout: 1000, connectTimeout: 2000 });
    expect([1, 2].map((attempt) => clusterRetryStrategy?.(attempt))).toEqual([50, 70]);
  });

  it("check certificates against the host's name", () => {
    const { dnsLookup } = toClusterOptions({ clusterNodes: NODES, tls: {} });
    const found: unknown[] = [];
    dnsLookup?.("redis.internal", (error, address) => found.push(error, address));
    expect(found).toEqual([null, "redis.internal"]);
  });
});

describe("createRedis", () => {
  it.each<[string, RedisConnectionOptions, string]>([
    ["no address", {}, "given: none"],
    ["two addresses", { url: "redis://host", clusterNodes: NODES }, "given: url, clusterNodes"],
    ["a URL of something else", { url: "http://host" }, "redis:// or rediss://"],
    ["no sentinel", { sentinels: { name: "main", nodes: [] } }, "sentinels.nodes is empty"],
    ["no cluster node", { clusterNodes: [] }, "clusterNodes is empty"],
    ["a database in a cluster", { clusterNodes: NODES, database: 1 }, "only database 0"],
  ])("refuses %s", (_, options, message) => {
    let refusal: unknown;
    try {
      createRedis(options);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ reason: "CONFIGURATION", message: expect.stringContaining(message) });
  });

  it("makes a client of the kind that the address asks for", () => {
    const single = createRedis({ url: "redis://127.0.0.1:1/4", username: "user", password: "secret" });
    const cluster = createRedis({ clusterNodes: [{ host: "127.0.0.1", port: 1 }] });
    try {
      expect(single).toBeInstanceOf(Redis);
      expect(single.options).toMatchObject({ host: "127.0.0.1", port: 1, db: 4, username: "user", password: "secret" });
      expect(cluster).toBeInstanceOf(Cluster);
    } finally {
      single.disconnect();
      cluster.disconnect();
    }
  });
});
