import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { SCOPES } from "#services/gateway/identity/scopes.ts";
import { redisUsersOfPage } from "#test/helpers/security/redis-users-of-page.ts";
import { startRedisMonitor } from "#test/helpers/servers/redis-monitor.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformWorld } from "#tooling/processes/platform-world.ts";

const PREFIX = "desk";
const NOTIFICATIONS = `${PREFIX}:notifications`;
const PASSWORD = "PASSWORD";
const USERS = { gateway: "fairlead-gateway", runner: "fairlead-runner", eval: "fairlead-eval" } as const;
const LIMITS = "{ requestsPerMinute: 100, concurrentRuns: 9, openStreams: 9, tokensPerDay: 100000 }";
const RULES = `defaults: { user: ${LIMITS}, app: ${LIMITS}, tenant: ${LIMITS} }`;
const SCOPE_MAP = SCOPES.map((scope) => `*=${scope}`).join(",");
/** Commands without keys and channels. */
const BARE = new Set([
  "acl",
  "auth",
  "client",
  "command",
  "echo",
  "hello",
  "info",
  "ping",
  "quit",
  "script",
  "select",
  "time",
]);

/** The names of keys and channels in a command. */
async function namesIn(redis: Redis, [command = "", ...args]: readonly string[]): Promise<readonly string[]> {
  const name = command.toLowerCase();
  if (BARE.has(name)) return [];
  if (name === "publish") return args.slice(0, 1);
  if (name === "subscribe" || name === "unsubscribe") return args;
  // The form of this command's answer.
  const keys = (await redis.call("COMMAND", "GETKEYS", command, ...args)) as readonly string[];
  return keys;
}

/** Sends what a user of a tenant may ask of runs. */
async function useAll(url: string, tenantId: string): Promise<void> {
  const headers = {
    "content-type": "application/json",
    "x-forwarded-user": "ada",
    "x-tenant": tenantId,
  };
  const ask = async (method: string, path: string, body?: object, more: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(url + path, {
      method,
      headers: { ...headers, ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect([path, answer.status, answer.ok ? "" : await answer.text()]).toEqual([path, answer.status, ""]);
    return answer.text();
  };
  const session = "/apps/echo/users/ada/sessions/talk";
  const newMessage = { role: "user", parts: [{ text: "hello" }] };
  const message = { appName: "echo", userId: "ada", sessionId: "talk", newMessage };
  await ask("POST", session, {});
  await ask("POST", "/run", message, { "idempotency-key": "one" });
  await ask("POST", "/run", message, { "idempotency-key": "one" });
  await ask("POST", "/run_sse", { ...message, streaming: true });
  const { runId } = JSON.parse(await ask("POST", "/v1/runs", message));
  await ask("GET", `/v1/runs/${runId}/stream`);
  await ask("GET", `/debug/trace/session/talk`);
  const conversation = [{ userContent: newMessage, finalResponse: { role: "model", parts: [{ text: "hello" }] } }];
  const evalSet = { evalSetId: "smoke", name: "smoke", evalCases: [{ evalId: "one", conversation }] };
  await ask("POST", "/apps/echo/eval-sets", { evalSet });
  await ask("POST", "/apps/echo/eval-sets/smoke/run-eval", {
    evalMetrics: [{ metricName: "final_response_match_v2", threshold: 0.5 }],
  });
  await ask("GET", "/v1/usage");
  await ask("DELETE", session);
}

describe.skipIf(whyNoRedis() !== undefined)("the commands that the services send to Redis", { timeout: 60_000 }, () => {
  it("name keys and channels of the tenant alone, and are allowed to the service's user", async () => {
    verifies("platform:redis:names");
    const rules = agentsFolder({ "quotas.yaml": RULES });
    await using world = await PlatformWorld.create({
      settings: { QUOTAS_FILE: `${rules.path}/quotas.yaml`, REDIS_KEY_PREFIX: PREFIX, REDIS_PASSWORD: PASSWORD },
    });
    const admin = new Redis(world.redis.url);
    await using stack = new AsyncDisposableStack();
    stack.defer(() => admin.disconnect());
    for (const args of await redisUsersOfPage()) await admin.call("ACL", ...args);
    for (const name of ["session", "artifact", "memory"] as const) world.start(name);
    world.start("eval", 0, { REDIS_USERNAME: USERS.eval, EVAL_JUDGE_MODELS: "demo/judge" });
    const proxy = {
      AUTH: "proxy",
      TRUSTED_PROXIES: "127.0.0.1",
      PROXY_TENANT_HEADER: "X-Tenant",
      PROXY_SCOPE_MAP: SCOPE_MAP,
    };
    world.start("runner", 0, { REDIS_USERNAME: USERS.runner });
    world.start("gateway", 0, { REDIS_USERNAME: USERS.gateway, ...proxy });
    await world.untilReady();
    await using monitor = await startRedisMonitor(world.redis.url);

    const ofTenants = new Map<string, ReadonlySet<string>>();
    for (const tenantId of ["acme", "default"]) {
      monitor.clear();
      await useAll(world.url, tenantId);
      // The monitor is in order: once it has this command, it has all earlier ones.
      await admin.echo(tenantId);
      await expect.poll(() => monitor.commands.some(([name, text]) => name === "echo" && text === tenantId)).toBe(true);
      ofTenants.set(
        tenantId,
        new Set((await Promise.all(monitor.commands.map((command) => namesIn(admin, command)))).flat()),
      );
    }
    const [first = new Set<string>(), second = new Set<string>()] = ofTenants.values();
    const ofAcme = (name: string): boolean => name.startsWith(`${PREFIX}:tenants:acme:`);
    expect([...first].filter((name) => !ofAcme(name) && name !== NOTIFICATIONS)).toEqual([]);
    // What a run of acme still had to count may follow its last answer.
    const own = [...second].filter((name) => !ofAcme(name) && name !== NOTIFICATIONS);
    expect(own.length).toBeGreaterThan(10);
    expect(own.filter((name) => !name.startsWith(`${PREFIX}:`) || name.startsWith(`${PREFIX}:tenants:`))).toEqual([]);
    expect(familiesOf([...first, ...second].filter(ofAcme))).toEqual(familiesOf(own));

    expect(await admin.call("ACL", "LOG")).toEqual([]);
    const clients = String(await admin.call("CLIENT", "LIST"));
    const users = new Set([...clients.matchAll(/ user=(\S+)/g)].map(([, user]) => user));
    expect(users).toEqual(new Set([...Object.values(USERS), "default"]));
  });
});

/** The families of the names, without tenants and ids. */
function familiesOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(
    names.map((name) => name.replace(/^desk:(?:tenants:acme:)?/, "").replace(/[^:]*[{/-].*|[0-9a-f]{8}.*/, "…")),
  );
}
