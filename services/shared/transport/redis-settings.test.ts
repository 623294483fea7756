import { expect, it } from "vitest";
import { Type } from "#kit/schema/shape.ts";
import { loadConfig } from "../config/load-config.ts";
import { redisAddress, redisConfigSchema } from "./redis-settings.ts";
import { runStreamConfigSchema } from "./run-transport.ts";

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
  const schema = Type.Object({ ...redisConfigSchema.properties, ...runStreamConfigSchema.properties });
  const load = (environment: Readonly<Record<string, string>>) => () => loadConfig(schema, environment);
  expect(load({ RUN_STREAM: "redis" })).toThrow("REDIS_URL");
  for (const [name, value] of [
    ["REDIS_URL", "redis://here:1"],
    ["REDIS_SENTINELS", "a:1"],
    ["REDIS_CLUSTER_NODES", "a:1"],
  ] as const)
    expect(load({ RUN_STREAM: "redis", [name]: value })).not.toThrow();
  expect(load({ RUN_STREAM: "memory" })).not.toThrow();
});
