import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EventStream } from "#test/helpers/clients/event-stream.ts";
import { pausedAnswer, TELLER_AGENTS } from "#test/helpers/servers/paused-answer.ts";
import { startTraceCollector } from "#test/helpers/servers/trace-collector.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformClient, type PlatformService, PlatformWorld } from "#tooling/processes/platform-world.ts";

const TIMEOUT = { timeout: 120_000 };
const POLL = { timeout: 60_000, interval: 100 };
const SERVICES: readonly PlatformService[] = ["gateway", "runner", "session", "artifact", "memory", "eval"];
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const OPEN_METRICS = { accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5" };

let world: PlatformWorld;
let client: PlatformClient;
let collector: Awaited<ReturnType<typeof startTraceCollector>>;

async function scrape(service: PlatformService, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await fetch(`${world.adminUrl(service)}/metrics`, { headers })).text();
}

/** The value of a series by its full name; undefined if there is none. */
async function valueOf(service: PlatformService, series: string): Promise<number | undefined> {
  const line = (await scrape(service)).split("\n").find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

async function peersOf(service: PlatformService): Promise<Readonly<Record<string, number>>> {
  const found = (await scrape(service)).matchAll(/^fairlead_peer_up\{peer="(\w+)"\} (\d)$/gm);
  return Object.fromEntries([...found].map(([, peer = "", value]) => [peer, Number(value)]));
}

describe.skipIf(whyNoRedis() !== undefined)("the metrics of six processes", TIMEOUT, () => {
  beforeAll(async () => {
    collector = await startTraceCollector();
    const settings = {
      AGENTS_DIR: TELLER_AGENTS,
      LEASE_MS: "3000",
      METRICS_EXEMPLARS: "true",
      TRUST_TRACEPARENT: "true",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url,
    };
    world = await PlatformWorld.create({ settings });
    client = new PlatformClient(world.url, "teller");
    world.startAll();
    await world.untilReady();
  }, 120_000);

  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
  });

  it("cover each process's event loop", async () => {
    for (const service of SERVICES)
      expect(await valueOf(service, "nodejs_eventloop_lag_p99_seconds")).toBeGreaterThan(0);
  });

  it("cover streams, slots, queued runs and kept leases while there are any", async () => {
    await client.createSession("long");
    const tale = pausedAnswer();
    const stream = new EventStream(client.run("long", tale.text, "/run_sse", { streaming: true }));
    await stream.until(/"text":"3 "/);
    const queued = new EventStream(client.run("long", "hello", "/run_sse"));
    const inFlight = 'fairlead_http_requests_in_flight{route="/run_sse"}';
    await expect.poll(() => valueOf("gateway", inFlight), POLL).toBe(2);
    await expect.poll(() => valueOf("runner", "fairlead_runs_queued"), POLL).toBe(1);
    expect(await valueOf("runner", "fairlead_run_slots_busy")).toBe(1);
    expect(await valueOf("runner", 'fairlead_runs_active{app="teller"}')).toBe(1);
    await expect.poll(() => valueOf("runner", "fairlead_runs_queued_oldest_seconds"), POLL).toBeGreaterThan(0.5);
    await expect.poll(() => valueOf("runner", 'fairlead_run_leases_total{outcome="renewed"}'), POLL).toBeGreaterThan(0);
    tale.tellAll();
    await Promise.all([stream.ended, queued.ended]);
    // A run leaves its slot after its readers have its end.
    await expect.poll(() => valueOf("gateway", inFlight), POLL).toBe(0);
    await expect.poll(() => valueOf("runner", "fairlead_run_slots_busy"), POLL).toBe(0);
    expect(await valueOf("runner", "fairlead_runs_queued")).toBe(0);
    expect(await valueOf("runner", "fairlead_runs_queued_oldest_seconds")).toBe(0);
    expect(await valueOf("runner", 'fairlead_run_leases_total{outcome="lost"}')).toBe(0);
    expect(await valueOf("runner", 'fairlead_runs_total{app="teller",status="succeeded"}')).toBe(2);
  });

  it("cover the time of appends, in the store and from the runner, with their traces", async () => {
    const finished = 'fairlead_append_duration_seconds_count{operation="finish",outcome="ok"}';
    const before = [await valueOf("session", finished), await valueOf("runner", finished)];
    await client.createSession("traced");
    const answer = await fetch(`${world.url}/run`, {
      method: "POST",
      headers: { "content-type": "application/json", traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` },
      body: JSON.stringify({
        appName: "teller",
        userId: "ada",
        sessionId: "traced",
        newMessage: { role: "user", parts: [{ text: "hello" }] },
      }),
    });
    expect(answer.status).toBe(200);
    await answer.text();
    expect([await valueOf("session", finished), await valueOf("runner", finished)]).toEqual(
      before.map((count = 0) => count + 1),
    );
    expect(await valueOf("session", 'fairlead_append_duration_seconds_count{operation="append",outcome="ok"}')).toBe(
      await valueOf("runner", 'fairlead_append_duration_seconds_count{operation="append",outcome="ok"}'),
    );
    const histograms = {
      gateway: "fairlead_http_request_duration_seconds",
      runner: "fairlead_run_duration_seconds",
      session: "fairlead_append_duration_seconds",
    } as const;
    for (const service of ["gateway", "runner", "session"] as const) {
      const text = await scrape(service, OPEN_METRICS);
      expect(text).toMatch(
        new RegExp(`^${histograms[service]}_bucket\\{.*# \\{trace_id="${TRACE_ID}"\\} [0-9.e-]+$`, "m"),
      );
      expect(text.endsWith("# EOF\n")).toBe(true);
      expect(await scrape(service)).not.toContain("trace_id");
    }
  });

  it("cover a peer that is unavailable, and its return", async () => {
    expect(await peersOf("gateway")).toEqual({ redis: 1, session: 1, runner: 1, artifact: 1, memory: 1, eval: 1 });
    expect(await peersOf("runner")).toEqual({ redis: 1, session: 1, artifact: 1, memory: 1 });
    await client.createSession("cut");
    const tale = pausedAnswer();
    const stream = new EventStream(client.run("cut", tale.text, "/run_sse", { streaming: true }));
    await stream.until(/"text":"3 "/);
    await world.kill("session");
    await expect.poll(() => peersOf("runner"), POLL).toMatchObject({ session: 0, artifact: 1 });
    await expect.poll(() => peersOf("gateway"), POLL).toMatchObject({ session: 0, runner: 0, redis: 1 });
    world.start("session");
    tale.tellAll();
    await stream.ended;
    await world.untilReady();
    await expect.poll(() => peersOf("gateway"), POLL).toMatchObject({ session: 1, runner: 1 });
  });

  it("cover what Redis fails to do, and the log has the outage once", async () => {
    const errors = async (): Promise<number> => {
      const found = (await scrape("runner")).matchAll(
        /^fairlead_redis_errors_total\{operation="publish",reason="\w+"\} (\d+)$/gm,
      );
      return [...found].reduce((sum, [, value]) => sum + Number(value), 0);
    };
    const commands = (await valueOf("runner", "fairlead_redis_commands_total")) ?? 0;
    expect(commands).toBeGreaterThan(0);
    expect(await errors()).toBe(0);
    await client.createSession("no-redis");
    const tale = pausedAnswer({ pauseMs: 50 });
    const stream = new EventStream(client.run("no-redis", tale.text, "/run_sse", { streaming: true }));
    await stream.until(/"text":"3 "/);
    await world.redis.stop();
    tale.tellAll();
    await stream.ended;
    await expect.poll(errors, POLL).toBeGreaterThan(2);
    await expect.poll(() => peersOf("runner"), POLL).toMatchObject({ redis: 0, session: 1 });
    await world.redis.start();
    await expect.poll(() => peersOf("runner"), POLL).toMatchObject({ redis: 1 });
    await client.createSession("back");
    const again = async (): Promise<boolean> => {
      await (await client.run("back", "hello")).text();
      return world.process("runner").output.includes("run streams are written again");
    };
    await expect.poll(again, POLL).toBe(true);
    const lines = world.process("runner").output.split("\n");
    expect(lines.filter((line) => line.includes("run stream not written"))).toHaveLength(1);
  });
});
