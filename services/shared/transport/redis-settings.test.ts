import { expect, it } from "vitest";
import { Type } from "#kit/schema/shape.ts";
import { loadConfig } from "../config/load-config.ts";
import { postgresConfigSchema } from "../stores/storage-settings.ts";
import { redisAddress, redisConfigSchema } from "./redis-settings.ts";
import { sharedTransportConfigSchema, transportConfigSchema } from "./run-transport.ts";

const address = (environment: Readonly<Record<string, string>>) =>
  redisAddress(loadConfig(redisConfigSchema, environment));

it("finds a single server, sentinels or a cluster, with credentials and TLS", () => {
  expect(address({ REDIS_URL: "redis://here:1", REDIS_PASSWORD: "word" })).toEqual({
    url: "redis://here:1",
    password: "word",
  });
  expect(address({ REDIS_SENTINELS: "a:26379, [::1]:26380", REDIS_SENTINEL_NAME: "main" })).toEqual({
    sentinels: {
      name: "main",
      nodes: [
        { host: "a", port: 26379 },
        { host: "[::1]", port: 26380 },
      ],
    },
  });
  expect(address({ REDIS_CLUSTER_NODES: "a:1", REDIS_USERNAME: "ada", REDIS_TLS_CA: "PEM" })).toEqual({
    clusterNodes: [{ host: "a", port: 1 }],
    username: "ada",
    tls: { ca: "PEM" },
  });
});

it("names what is not an address", () => {
  expect(() => address({ REDIS_SENTINELS: "a" })).toThrow('REDIS_SENTINELS has "a", which is not host:port.');
});

it("needs one of three addresses where Redis carries the streams", () => {
  const schema = Type.Object({ ...redisConfigSchema.properties, ...transportConfigSchema.properties });
  const load = (environment: Readonly<Record<string, string>>) => () => loadConfig(schema, environment);
  expect(load({ TRANSPORT: "redis" })).toThrow("REDIS_URL");
  for (const [name, value] of [
    ["REDIS_URL", "redis://here:1"],
    ["REDIS_SENTINELS", "a:1"],
    ["REDIS_CLUSTER_NODES", "a:1"],
  ] as const)
    expect(load({ TRANSPORT: "redis", [name]: value })).not.toThrow();
  expect(load({ TRANSPORT: "memory" })).not.toThrow();
});

it("needs the database's address where Postgres carries the streams, and none of Redis", () => {
  const schema = Type.Object({
    ...redisConfigSchema.properties,
    ...postgresConfigSchema.properties,
    ...sharedTransportConfigSchema.properties,
  });
  expect(() => loadConfig(schema, { TRANSPORT: "postgres" })).toThrow(
    "DATABASE_URL is not set, and TRANSPORT=postgres needs it.",
  );
  expect(() => loadConfig(schema, { TRANSPORT: "postgres", DATABASE_URL: "postgresql://here/db" })).not.toThrow();
  expect(() => loadConfig(schema, { TRANSPORT: "memory" })).toThrow("TRANSPORT must be redis or postgres");
});
