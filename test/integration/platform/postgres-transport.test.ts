import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { runnerGrants } from "#test/helpers/servers/runner-grants.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { PgBouncer, whyNoPgBouncer } from "#tooling/emulators/pg-bouncer.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { PLATFORM_SERVICES, PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const TIMEOUT_MS = 180_000;
const TRANSPORT = "postgres";

/** Texts of an event stream, in order. */
const textsOf = (stream: string): readonly string[] => stream.match(/"text":"[^"]*"/g) ?? [];
const STREAMED = ['"text":"You said"', '"text":": hello (1)"', '"text":"You said: hello (1)"'];

async function startWorld(options: Parameters<typeof PlatformWorld.create>[0] = {}): Promise<PlatformWorld> {
  const world = await PlatformWorld.create({ transport: TRANSPORT, ...options });
  world.startAll();
  await world.untilReady();
  return world;
}

/** The processes of the server that serve listening connections, ended as a failure of the network would. */
function endListeners(world: PlatformWorld): Promise<number> {
  return query(
    world,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fairlead listen'",
  );
}

/** The number of rows. */
async function query(world: PlatformWorld, text: string): Promise<number> {
  const client = new pg.Client(world.postgres.url());
  await client.connect();
  const { rowCount } = await client.query(text);
  await client.end();
  return rowCount ?? 0;
}

/** The body of an answer as it arrives, which can be waited for. */
function follow(response: Response) {
  let text = "";
  let hasEnded = false;
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    hasEnded = true;
  })();
  return { text: () => text, hasEnded: () => hasEnded, reading };
}

describe.skipIf(whyNoPostgres() !== undefined)("six processes whose streams Postgres carries", () => {
  it(
    "stream chunks, answer a key once, and stream a run to another gateway from its beginning and from a cursor",
    async () => {
      verifies("platform:transport:postgres");
      await using world = await startWorld({ replicas: { gateway: 2, runner: 2 } });
      const client = new PlatformClient(world.url);
      await client.createSession("talk");
      expect(textsOf(await (await client.run("talk", "hello", "/run_sse", { streaming: true })).text())).toEqual(
        STREAMED,
      );

      const headers = { "content-type": "application/json", "idempotency-key": "key-1" };
      const body = JSON.stringify({
        ...{ appName: "echo", userId: "ada", sessionId: "talk", streaming: true },
        newMessage: { role: "user", parts: [{ text: "again" }] },
      });
      const runIds: string[] = [];
      for (const gateway of [0, 1]) {
        const answer = await fetch(`${world.urlOf(gateway)}/v1/runs`, { method: "POST", headers, body });
        runIds.push(((await answer.json()) as { readonly runId: string }).runId);
      }
      expect(runIds[1]).toBe(runIds[0]);

      const stream = `/v1/runs/${runIds[0]}/stream`;
      const whole = await (await fetch(world.urlOf(1) + stream)).text();
      expect(textsOf(whole).at(-1)).toBe('"text":"You said: again (3)"');
      expect(whole).toContain("event: end");
      const first = /^id: (.+)$/m.exec(whole)?.[1] ?? "";
      const rest = await (await fetch(world.urlOf(0) + stream, { headers: { "last-event-id": first } })).text();
      expect(textsOf(rest)).toEqual(textsOf(whole).slice(1));
      expect(await client.conversation("talk")).toHaveLength(4);
    },
    TIMEOUT_MS,
  );

  it(
    "execute runs in runners whose role can read no table",
    async () => {
      await using world = await PlatformWorld.create({ transport: TRANSPORT });
      // It makes the tables.
      world.start("gateway");
      await world.untilNotReady("gateway", "runner", "session");
      await query(world, runnerGrants("careful"));
      const url = world.postgres.url().replace("postgres@", "careful@");
      world.start("runner", 0, { DATABASE_URL: url, DATABASE_MIGRATIONS: "check" });
      for (const service of ["session", "artifact", "memory", "eval"] as const) world.start(service);
      await world.untilReady();
      const client = new PlatformClient(world.url);
      await client.createSession("talk");
      expect(textsOf(await (await client.run("talk", "hello", "/run_sse", { streaming: true })).text())).toEqual(
        STREAMED,
      );
      expect(await query(world, "SELECT FROM fairlead.trace_spans")).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  it(
    "end a run that another runner executes",
    async () => {
      // With a lease this long only the notification between runners can end the run before the test does.
      await using world = await startWorld({ replicas: { runner: 2 }, settings: { LEASE_MS: "300000" } });
      const client = new PlatformClient(world.url);
      const statuses: string[] = [];
      for (const id of ["1", "2", "3", "4"]) {
        await client.createSession(id);
        // The run as it was recorded.
        const { runId } = (await (await client.run(id, "hang", "/v1/runs")).json()) as { readonly runId: string };
        const stream = fetch(`${world.url}/v1/runs/${runId}/stream`);
        if (Number(id) % 2 === 0) await fetch(`${world.url}/list-apps`);
        await client.post(`/v1/runs/${runId}/cancel`, {});
        statuses.push(/data: (.*)\nevent: end/.exec(await (await stream).text())?.[1] ?? "");
      }
      expect(statuses).toEqual(Array(4).fill('{"status":"cancelled"}'));
    },
    TIMEOUT_MS,
  );

  it(
    "lose nothing of a stream whose listening connections are lost in the middle",
    async () => {
      await using world = await startWorld();
      const client = new PlatformClient(world.url);
      const streams = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          await client.createSession(`talk-${index}`);
          return follow(await client.run(`talk-${index}`, "slow 60", "/run_sse", { streaming: true }));
        }),
      );
      await expect.poll(() => streams.every(({ text }) => textsOf(text()).length > 3), { timeout: 30_000 }).toBe(true);
      // The gateway's and the runner's.
      expect(await endListeners(world)).toBe(2);
      expect(streams.some(({ hasEnded }) => hasEnded())).toBe(false);
      await Promise.all(streams.map(({ reading }) => reading));
      for (const { text } of streams) {
        const texts = textsOf(text());
        expect(texts.slice(0, -1)).toEqual(Array.from({ length: 60 }, (_, index) => `"text":"${index} "`));
      }
      await world.process("gateway").until(/the direct connection to Postgres is back/);
    },
    TIMEOUT_MS,
  );

  it(
    "complete every run when Postgres is killed and started again",
    async () => {
      await using world = await startWorld();
      const client = new PlatformClient(world.url);
      const streams = await Promise.all(
        Array.from({ length: 6 }, async (_, index) => {
          await client.createSession(`talk-${index}`);
          return follow(await client.run(`talk-${index}`, "slow 60", "/run_sse", { streaming: true }));
        }),
      );
      await expect.poll(() => streams.every(({ text }) => textsOf(text()).length > 3), { timeout: 30_000 }).toBe(true);
      await world.postgres.kill();
      await pause(500);
      await world.postgres.start();
      await Promise.all(streams.map(({ reading }) => reading));
      const all = Array.from({ length: 60 }, (_, index) => `${index} `).join("");
      for (const [index, { text }] of streams.entries()) {
        expect(textsOf(text()).at(-1)).toBe(`"text":"${all}"`);
        expect(await client.conversation(`talk-${index}`)).toEqual(["user: slow 60", `echo: ${all}`]);
      }
      await world.untilReady();
      await client.createSession("after");
      const chunks = await (await client.run("after", "hello", "/run_sse", { streaming: true })).text();
      expect(textsOf(chunks)).toEqual(STREAMED);
    },
    TIMEOUT_MS,
  );

  it.skipIf(whyNoPgBouncer() !== undefined)(
    "stream through PgBouncer if they reach the server for notifications, and say so if they do not",
    async () => {
      await using world = await PlatformWorld.create({ transport: TRANSPORT });
      await using pooler = await PgBouncer.start(world.postgres, 5);
      const pooled = { DATABASE_URL: pooler.url };
      for (const service of PLATFORM_SERVICES)
        world.start(service, 0, {
          ...pooled,
          ...(service !== "gateway" && { DATABASE_DIRECT_URL: world.postgres.url() }),
        });
      await world
        .process("gateway")
        .until(/DATABASE_DIRECT_URL has to be the address of the server itself, not of a pooler in transaction mode/);
      await world.untilNotReady("gateway", "postgres");
      await world.kill("gateway");
      world.start("gateway", 0, { ...pooled, DATABASE_DIRECT_URL: world.postgres.url() });
      await world.untilReady();
      const client = new PlatformClient(world.url);
      await client.createSession("talk");
      expect(textsOf(await (await client.run("talk", "hello", "/run_sse", { streaming: true })).text())).toEqual(
        STREAMED,
      );
    },
    TIMEOUT_MS,
  );

  it.each(["gateway", "runner", "eval"] as const)("are refused without the database's address: %s", async (service) => {
    await using process = new CliProcess([service], { environment: { TRANSPORT } });
    await process.ended;
    expect(process.child.exitCode).toBe(1);
    expect(process.output).toContain("DATABASE_URL is not set, and TRANSPORT=postgres needs it.");
  });
});
