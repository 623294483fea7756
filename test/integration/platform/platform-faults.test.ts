import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EventStream } from "#test/helpers/clients/event-stream.ts";
import { type HeldTale, pausedAnswer, TELLER_AGENTS } from "#test/helpers/servers/paused-answer.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformClient, type PlatformService, PlatformWorld } from "#tooling/processes/platform-world.ts";

const TIMEOUT = { timeout: 120_000 };
const POLL = { timeout: 60_000, interval: 100 };

let world: PlatformWorld;
let client: PlatformClient;

async function reasonOf(response: Response): Promise<readonly unknown[]> {
  // The form of every error's body.
  const { reason } = (await response.json()) as { readonly reason?: string };
  return [response.status, reason];
}

/** A tale, and a stream where its first chunks have arrived. */
async function openTale(id: string): Promise<{ readonly tale: HeldTale; readonly stream: EventStream }> {
  const tale = pausedAnswer();
  await client.createSession(id);
  const stream = new EventStream(client.run(id, tale.text, "/run_sse", { streaming: true }));
  await stream.until(/"text":"3 "/);
  return { tale, stream };
}

function signal(service: PlatformService, name: NodeJS.Signals): void {
  world.process(service).child.kill(name);
}

/** Waits until all are ready and a turn works. */
async function recovered(): Promise<void> {
  await world.untilReady();
  await client.createSession("check");
  await expect.poll(async () => (await client.run("check", "still there?")).status, POLL).toBe(200);
}

describe.skipIf(whyNoRedis() !== undefined)("a fault of one process", TIMEOUT, () => {
  beforeAll(async () => {
    const settings = {
      AGENTS_DIR: TELLER_AGENTS,
      // Longer than a call takes while a process starts beside it.
      CALL_TIMEOUT_MS: "6000",
      LEASE_MS: "15000",
      // Large enough to reach the limit of a call between services.
      MAX_BODY_BYTES: String(16 * 1024 * 1024),
    };
    world = await PlatformWorld.create({ settings, replicas: { gateway: 2 }, linked: ["session"] });
    client = new PlatformClient(world.url, "teller");
    world.startAll();
    await world.untilReady();
  }, 120_000);

  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  it("session, stopped and started again: the active stream continues, and its answer is stored once", async () => {
    const { tale, stream } = await openTale("session-restart");
    await world.kill("session");
    expect(await reasonOf(await client.run("session-restart", "too early"))).toEqual([503, "SERVICE_UNAVAILABLE"]);
    world.start("session");
    tale.tellAll();
    await stream.ended;
    expect(stream.texts).toEqual([...tale.chunks, `[${tale.whole}]`]);
    await recovered();
    expect(await client.conversation("session-restart")).toEqual([`user: ${tale.text}`, `teller: ${tale.whole}`]);
  });

  it("session, silent for some seconds: callers get a clear error in time, and the stream continues", async () => {
    const { tale, stream } = await openTale("session-silent");
    signal("session", "SIGSTOP");
    expect(await reasonOf(await client.createSession("never"))).toEqual([504, "SERVICE_TIMEOUT"]);
    signal("session", "SIGCONT");
    tale.tellAll();
    await stream.ended;
    expect(stream.complete).toEqual([tale.whole]);
    await recovered();
    expect(await client.conversation("session-silent")).toEqual([`user: ${tale.text}`, `teller: ${tale.whole}`]);
  });

  it("session, reached late or not at all: turns are slow or refused, never halved", async () => {
    const link = world.link("session");
    await client.createSession("slow-link");
    link.set({ kind: "latency", ms: 100 });
    expect(await client.say("slow-link", "one")).toBe("heard one");
    link.set({ kind: "half-open" });
    const refused = await client.run("slow-link", "two");
    expect([503, 504]).toContain(refused.status);
    expect((await reasonOf(refused))[1]).toMatch(/^SERVICE_(?:TIMEOUT|UNAVAILABLE)$/);
    link.heal();
    await recovered();
    // The request has arrived, though its answer was lost: the run may have begun, and then it ends as cut off.
    const before = await client.conversation("slow-link");
    expect(before.slice(0, 2)).toEqual(["user: one", "teller: heard one"]);
    await expect.poll(async () => (await client.run("slow-link", "three")).status, POLL).toBe(200);
    expect((await client.conversation("slow-link")).slice(-2)).toEqual(["user: three", "teller: heard three"]);
  });

  it("runner, killed: the stream ends with a frame or its run is recovered, and nothing of the answer is stored twice", async () => {
    const { tale, stream } = await openTale("runner-kill");
    await world.kill("runner");
    await client.createSession("runner-down");
    expect(await reasonOf(await client.run("runner-down", "anybody?"))).toEqual([503, "SERVICE_UNAVAILABLE"]);
    expect(await client.conversation("runner-down")).toEqual([]);
    tale.tellAll();
    world.start("runner");
    await stream.ended;
    await recovered();
    const stored = await client.conversation("runner-kill");
    expect(stored.filter((line) => line === `user: ${tale.text}`)).toHaveLength(1);
    const answers = stored.filter((line) => line === `teller: ${tale.whole}`);
    expect(answers).toHaveLength(stream.complete.includes(tale.whole) ? 1 : 0);
    expect(await client.say("runner-kill", "again")).toBe("heard again");
  });

  it("gateway, killed: its clients read on from where they were, at another one", async () => {
    const tale = pausedAnswer();
    const other = new PlatformClient(world.urlOf(1), "teller");
    const answer = other.createSession("gateway-kill").then(() => {
      return other.run("gateway-kill", tale.text, "/run_sse?event_ids=true", { streaming: true });
    });
    const stream = new EventStream(answer);
    await stream.until(/"text":"3 "[^\n]*\nid: .*\n/);
    const runId = (await answer).headers.get("x-run-id") ?? "";
    await world.kill("gateway", 1);
    expect(await stream.isCut()).toBe(true);
    const rest = new EventStream(
      fetch(`${world.url}/v1/runs/${runId}/stream`, { headers: { "last-event-id": stream.cursor } }),
    );
    tale.tellAll();
    await rest.ended;
    expect([...stream.texts, ...rest.texts]).toEqual([...tale.chunks, `[${tale.whole}]`]);
    world.start("gateway", 1);
    await recovered();
  });

  it("Redis, killed: open streams end with the answer from the store, and runs answer", async () => {
    const { tale, stream } = await openTale("redis-kill");
    await world.redis.stop();
    const meanwhile = client.say("redis-kill", "meanwhile");
    tale.tellAll();
    expect(await meanwhile).toBe("heard meanwhile");
    await stream.ended;
    expect(stream.complete).toEqual([tale.whole]);
    await world.redis.start();
    await world.process("runner").until(/Redis is back/);
    await recovered();
    const streamed = new EventStream(client.run("check", "tell 3 10", "/run_sse", { streaming: true }));
    await streamed.ended;
    expect(streamed.texts).toEqual(["1 ", "2 ", "3 ", "[1 2 3 ]"]);
  });

  it("Redis, silent for some seconds: runs answer, and the active stream misses no complete event", async () => {
    const { tale, stream } = await openTale("redis-silent");
    const { pid } = world.redis;
    if (pid === undefined) throw new Error("Redis does not run.");
    process.kill(pid, "SIGSTOP");
    try {
      tale.tell(10);
      await client.createSession("redis-silent-too");
      expect(await client.say("redis-silent-too", "meanwhile")).toBe("heard meanwhile");
    } finally {
      process.kill(pid, "SIGCONT");
    }
    tale.tellAll();
    await stream.ended;
    expect(stream.complete).toEqual([tale.whole]);
    await recovered();
  });

  it("artifact, killed and started again under a tool: the model hears of the failure, and the next call works", async () => {
    await client.createSession("artifact-kill");
    await world.kill("artifact");
    const refused = await (await client.run("artifact-kill", "keep tea")).text();
    expect(refused).toContain("The artifact service cannot be reached. Try again.");
    world.start("artifact");
    await world.untilReady();
    const kept = await (await client.run("artifact-kill", "keep tea")).text();
    expect(kept).toContain('"response":{"version":0}');
    const url = `${world.url}/apps/teller/users/ada/sessions/artifact-kill/artifacts/note.txt`;
    expect(await (await fetch(url)).json()).toMatchObject({ text: "tea" });
  });

  it("messages over the limit of one call are refused by their reason, and nothing of the turn is stored", async () => {
    await client.createSession("large");
    const refused = await client.run("large", "x".repeat(5 * 1024 * 1024));
    expect(await reasonOf(refused)).toEqual([413, "MESSAGE_TOO_LARGE"]);
    expect(await client.conversation("large")).toEqual([]);
    expect(await client.say("large", "small")).toBe("heard small");
  });
});
