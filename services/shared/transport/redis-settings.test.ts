import { expect, it } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { redisAddress, redisConfigSchema } from "./redis-settings.ts";

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
