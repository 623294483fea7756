import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { allowedEdges } from "../network-graph.ts";
import { environmentOf, podOf } from "../pods.ts";
import { render, tools } from "../render.ts";
import { secretsOf } from "../secret-mounts.ts";

const URL = "redis://redis:6379";

/** The settings of Redis of a service, and the files that they name. */
function redisOf(objects: Awaited<ReturnType<typeof render>>, name: string) {
  const variables = Object.entries(environmentOf(podOf(objects, name))).filter(([key]) => key.startsWith("REDIS_"));
  const files = Object.entries(secretsOf(objects, name)).filter(([path]) => path.startsWith("redis/"));
  const { REDIS_KEY_PREFIX: _, ...settings } = Object.fromEntries([...variables, ...files]);
  return settings;
}

describe.skipIf(tools.helm === undefined)("users of Redis", () => {
  it("are one for each service, with a password that no other service has", async () => {
    verifies("platform:helm:redis-users");
    const users = {
      gateway: { username: "desk-gateway", passwordSecret: { name: "redis-gateway" } },
      runner: { username: "desk-runner", passwordSecret: { name: "redis-runner", key: "word" } },
    };
    const existingSecret = { name: "redis", passwordKey: "password", caKey: "ca.crt" };
    const objects = await render({ redis: { url: URL, username: "all", existingSecret, users } });
    const common = {
      REDIS_URL: URL,
      REDIS_PASSWORD_FILE: "/run/fairlead/redis/REDIS_PASSWORD",
      REDIS_TLS_CA_FILE: "/run/fairlead/redis/REDIS_TLS_CA",
      "redis/REDIS_TLS_CA": "redis/ca.crt",
    };
    expect(redisOf(objects, "gateway")).toEqual({
      ...common,
      REDIS_USERNAME: "desk-gateway",
      "redis/REDIS_PASSWORD": "redis-gateway/password",
    });
    expect(redisOf(objects, "runner")).toEqual({
      ...common,
      REDIS_USERNAME: "desk-runner",
      "redis/REDIS_PASSWORD": "redis-runner/word",
    });
    expect(redisOf(objects, "session")).toEqual({});
  });

  it("are given to evaluations if their judges count against quotas, and only then", async () => {
    const users = { eval: { username: "desk-eval", passwordSecret: { name: "redis-eval" } } };
    const existingSecret = { name: "redis", passwordKey: "password" };
    const redis = { url: URL, username: "all", existingSecret, users };
    const judges = { eval: { settings: { EVAL_JUDGE_MODELS: ["gemini-3.8-flash"] } } };
    const quotas = { quotas: { rules: { defaults: { tenant: { tokensPerDay: 1000 } } } } };
    const settingsWith = async (values: object) => redisOf(await render({ redis, ...values }), "eval");
    expect(await settingsWith(judges)).toEqual({});
    expect(await settingsWith(quotas)).toEqual({});
    expect(await settingsWith({ ...judges, ...quotas })).toEqual({
      REDIS_URL: URL,
      REDIS_USERNAME: "desk-eval",
      REDIS_PASSWORD_FILE: "/run/fairlead/redis/REDIS_PASSWORD",
      "redis/REDIS_PASSWORD": "redis-eval/password",
    });
    const trial = { environment: "development", dev: { redis: { enabled: true } }, redis: { url: "" } };
    const edges = allowedEdges(await render({ ...trial, ...judges, ...quotas }));
    expect(edges).toContain("eval → redis:6379");
    expect(allowedEdges(await render({ ...trial, ...judges }))).not.toContain("eval → redis:6379");
  });

  it("may be given to one service alone", async () => {
    const users = { runner: { username: "desk-runner", passwordSecret: { name: "redis-runner" } } };
    const existingSecret = { name: "redis", passwordKey: "password" };
    const objects = await render({ redis: { url: URL, username: "all", existingSecret, users } });
    expect(redisOf(objects, "gateway")).toMatchObject({
      REDIS_USERNAME: "all",
      "redis/REDIS_PASSWORD": "redis/password",
    });
    expect(redisOf(objects, "runner")).toMatchObject({
      REDIS_USERNAME: "desk-runner",
      "redis/REDIS_PASSWORD": "redis-runner/password",
    });
  });

  it.each([
    [{ runner: { username: "x" } }, "redis.users.runner.username is set without a password"],
    [{ gateway: { passwordSecret: { name: "x" } } }, "redis.users.gateway.passwordSecret is set without a user"],
    [{ session: { username: "x" } }, "session"],
  ])("are refused with %o", async (users, message) => {
    await expect(render({ redis: { url: URL, users } })).rejects.toThrow(message);
  });
});
