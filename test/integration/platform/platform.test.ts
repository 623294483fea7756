import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { FaultProxy } from "#tooling/processes/fault-proxy.ts";
import { PLATFORM_SERVICES, PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const TIMEOUT_MS = 120_000;

const TOOL_AGENTS = fileURLToPath(new URL("../../fixtures/chaos-agents", import.meta.url));
/** A module that makes its process print each module that is loaded after it. */
const TELL_LOADED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({
    load(url, context, nextLoad) {
      process.stdout.write("loaded " + url + "\\n");
      return nextLoad(url, context);
    },
  });
`)}`;

/** A conversation in the session "talk" that continues when Redis is lost. */
async function talkWithoutRedis(world: PlatformWorld): Promise<PlatformClient> {
  await world.untilReady();
  const client = new PlatformClient(world.url);
  await client.createSession("talk");
  expect(await client.say("talk", "one")).toBe("You said: one (1)");
  await world.redis.stop();
  expect(await client.say("talk", "two")).toBe("You said: two (3)");
  return client;
}

async function bringRedisBack(world: PlatformWorld): Promise<void> {
  await world.redis.start();
  await world.process("gateway").until(/Redis is back/);
  await world.process("runner").until(/Redis is back/);
}

describe.skipIf(whyNoRedis() !== undefined)("six processes", () => {
  it(
    "answer a conversation whatever the order in which they were started, and name what they wait for",
    async () => {
      verifies("platform:services");
      await using world = await PlatformWorld.create();
      world.start("gateway");
      await world.untilNotReady("gateway", "runner", "session");
      expect(await (await fetch(`${world.url}/health`)).json()).toEqual({ status: "ok" });
      const client = new PlatformClient(world.url);
      const tooEarly = await client.createSession("early");
      expect([tooEarly.status, await tooEarly.json()]).toMatchObject([503, { reason: "SERVICE_UNAVAILABLE" }]);

      world.start("runner");
      await world.untilNotReady("runner", "session");
      for (const service of ["eval", "memory", "artifact", "session"] as const) world.start(service);
      await world.untilReady();
      await client.createSession("talk");
      expect(await client.say("talk", "hello")).toBe("You said: hello (1)");
      const stream = await (await client.run("talk", "again", "/run_sse", { streaming: true })).text();
      expect(stream.match(/"text":"[^"]*"/g)).toEqual([
        '"text":"You said"',
        '"text":": again (3)"',
        '"text":"You said: again (3)"',
      ]);
      expect(await client.conversation("talk")).toEqual([
        "user: hello",
        "echo: You said: hello (1)",
        "user: again",
        "echo: You said: again (3)",
      ]);

      for (const service of PLATFORM_SERVICES)
        expect([service, await world.process(service).end("SIGTERM")]).toEqual([service, 0]);
    },
    TIMEOUT_MS,
  );

  it(
    "answer again after each of them was killed and started again",
    async () => {
      verifies("platform:services:replaced");
      await using world = await PlatformWorld.create();
      world.startAll();
      await world.untilReady();
      const client = new PlatformClient(world.url);
      await client.createSession("talk");
      const answers: string[] = [];
      for (const service of PLATFORM_SERVICES) {
        await world.kill(service);
        world.start(service);
        await world.untilReady();
        answers.push(await client.say("talk", service));
      }
      expect(answers).toEqual(PLATFORM_SERVICES.map((service, index) => `You said: ${service} (${index * 2 + 1})`));
      expect(await client.conversation("talk")).toHaveLength(PLATFORM_SERVICES.length * 2);
    },
    TIMEOUT_MS,
  );

  it(
    "continue without the services that only some requests need",
    async () => {
      await using world = await PlatformWorld.create();
      world.startAll();
      await world.untilReady();
      const client = new PlatformClient(world.url);
      await client.createSession("talk");
      for (const service of ["artifact", "memory", "eval"] as const) await world.kill(service);
      expect(await client.say("talk", "hello")).toBe("You said: hello (1)");
      const artifacts = `${world.url}/apps/echo/users/ada/sessions/talk/artifacts`;
      const refused = await fetch(artifacts);
      expect([refused.status, await refused.json()]).toMatchObject([
        503,
        { reason: "SERVICE_UNAVAILABLE", message: "The artifact service cannot be reached. Try again." },
      ]);
      expect(await world.readiness("gateway")).toEqual({ status: "ready", unavailable: [] });
      world.start("artifact");
      await expect.poll(async () => (await fetch(artifacts)).status, { timeout: 20_000 }).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    "name a service that is lost, and only the gateway stays ready, so that clients get its answer and not one of the edge",
    async () => {
      await using world = await PlatformWorld.create();
      world.startAll();
      await world.untilReady();
      await world.kill("session");
      await world.untilNotReady("runner", "session");
      await world.untilUnavailable("gateway", "runner", "session");
      const refused = await new PlatformClient(world.url).createSession("talk");
      expect([refused.status, Number(refused.headers.get("retry-after")), await refused.json()]).toEqual([
        503,
        expect.toSatisfy((seconds) => seconds > 0),
        expect.objectContaining({ reason: "SERVICE_UNAVAILABLE" }),
      ]);
      world.start("session");
      await world.untilReady();
    },
    TIMEOUT_MS,
  );

  it(
    "are not ready until they have reached Redis once, and log it once",
    async () => {
      await using world = await PlatformWorld.create();
      await world.redis.stop();
      world.startAll();
      await world.untilNotReady("runner", "redis");
      await world.untilNotReady("gateway", "redis", "runner");
      await world.redis.start();
      await world.untilReady();
      expect(world.process("runner").output.match(/Redis cannot be reached/g)).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  it(
    "answer without Redis, and stream again when it is back",
    async () => {
      await using world = await PlatformWorld.create();
      world.startAll();
      const client = await talkWithoutRedis(world);
      const stream = await (await client.run("talk", "three", "/run_sse", { streaming: true })).text();
      expect(stream.match(/"text":"[^"]*"/g)).toEqual(['"text":"You said: three (5)"']);
      await bringRedisBack(world);
      const streamed = await (await client.run("talk", "four", "/run_sse", { streaming: true })).text();
      expect(streamed.match(/"text":"[^"]*"/g)).toHaveLength(3);
    },
    TIMEOUT_MS,
  );

  it(
    "stream chunks from the moment that Redis is back, however late the connections are on which they listen",
    async () => {
      await using world = await PlatformWorld.create();
      await using link = await FaultProxy.to(world.redis.port);
      const settings = { REDIS_URL: `redis://127.0.0.1:${link.port}` };
      for (const service of PLATFORM_SERVICES) world.start(service, 0, settings);
      const client = await talkWithoutRedis(world);
      link.set({ kind: "drop-subscribers" });
      await bringRedisBack(world);
      const streamed = await (await client.run("talk", "three", "/run_sse", { streaming: true })).text();
      expect(streamed.match(/"text":"[^"]*"/g)).toHaveLength(3);
    },
    TIMEOUT_MS,
  );

  it(
    "have loaded all packages that a tool's call needs before they are ready",
    async () => {
      await using world = await PlatformWorld.create({ settings: { AGENTS_DIR: TOOL_AGENTS } });
      for (const service of PLATFORM_SERVICES) world.start(service, 0, { NODE_OPTIONS: `--import=${TELL_LOADED}` });
      await world.untilReady();
      const runner = world.process("runner");
      const before = runner.output.length;
      const client = new PlatformClient(world.url);
      await client.post("/apps/chaos/users/ada/sessions/talk", {});
      const steps = [{ call: [{ name: "count" }] }, { say: "counted" }];
      const text = JSON.stringify({ tag: "talk", log: "/dev/null", steps });
      const newMessage = { role: "user", parts: [{ text }] };
      const run = { appName: "chaos", userId: "ada", sessionId: "talk", newMessage };
      expect(await (await client.post("/run", run)).json()).toHaveLength(3);
      const loaded = runner.output.slice(before).match(/^loaded .*$/gm) ?? [];
      expect(loaded).toContainEqual(expect.stringContaining("/chaos/agent.ts"));
      expect(loaded.filter((line) => line.includes("/node_modules/"))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "work off the messages to one session in their order, whichever runner has them",
    async () => {
      await using world = await PlatformWorld.create({ replicas: { runner: 2, gateway: 2 } });
      world.startAll();
      await world.untilReady();
      const client = new PlatformClient(world.url);
      await client.createSession("talk");
      const answers = await Promise.all(["a", "b", "c", "d", "e", "f"].map((text) => client.say("talk", text)));
      const places = answers.map((answer) => Number(/\((\d+)\)/.exec(answer)?.[1]));
      expect(places.toSorted((left, right) => left - right)).toEqual([1, 3, 5, 7, 9, 11]);
      expect((await client.conversation("talk")).filter((line) => line.startsWith("echo: You said"))).toHaveLength(6);
    },
    TIMEOUT_MS,
  );

  it(
    "end a run that another runner executes",
    async () => {
      // With a lease this long only the notification between runners can end the run before the test does.
      await using world = await PlatformWorld.create({ replicas: { runner: 2 }, settings: { LEASE_MS: "300000" } });
      world.startAll();
      await world.untilReady();
      const client = new PlatformClient(world.url);
      const statuses: string[] = [];
      for (const id of ["1", "2", "3", "4"]) {
        await client.createSession(id);
        // The run as it was recorded.
        const { runId } = (await (await client.run(id, "hang", "/v1/runs")).json()) as { readonly runId: string };
        const stream = fetch(`${world.url}/v1/runs/${runId}/stream`);
        // Calls go to the runners in turn: the additional one lets some of these reach the runner that does not have
        // the run.
        if (Number(id) % 2 === 0) await fetch(`${world.url}/list-apps`);
        await client.post(`/v1/runs/${runId}/cancel`, {});
        statuses.push(/data: (.*)\nevent: end/.exec(await (await stream).text())?.[1] ?? "");
      }
      expect(statuses).toEqual(Array(4).fill('{"status":"cancelled"}'));
    },
    TIMEOUT_MS,
  );
});

describe("a service with wrong settings", () => {
  it.each(PLATFORM_SERVICES)("names all of them together: %s", async (service) => {
    const environment = { SHUTDOWN_DRAIN_MS: "soon", LOG_LEVEL: "loud" };
    await using process = new CliProcess([], { script: `services/${service}/main.ts`, environment });
    await process.ended;
    expect(process.child.exitCode).toBe(1);
    expect(process.output).toContain('SHUTDOWN_DRAIN_MS must be a whole number of at least 0, not "soon".');
    expect(process.output).toContain("LOG_LEVEL must be debug, info, warn, error or silent, not");
  });
});
