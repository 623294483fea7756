import { on } from "node:events";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { pausedAnswer, TELLER_AGENTS } from "#test/helpers/servers/paused-answer.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const TIMEOUT_MS = 120_000;
const WAIT = { timeout: 60_000, interval: 200 };
const SAMPLES = fileURLToPath(new URL("../../../agents", import.meta.url));
/** A runner renews its lease in time also while the other one starts on the same processor. */
const SETTINGS = { LEASE_MS: "5000", SHUTDOWN_GRACE_MS: "0", SHUTDOWN_DRAIN_MS: "0" };

describe.skipIf(whyNoRedis() !== undefined)("six processes and a second runner", () => {
  it.each([
    ["is killed", "SIGKILL", 0],
    ["is asked to end", "SIGTERM", 1],
  ] as const)(
    "continue an answer whose runner %s, in the stream that its reader has open",
    async (_, signal, handovers) => {
      verifies("platform:run-survives-runner");
      const tale = pausedAnswer({ words: 60 });
      const settings = { ...SETTINGS, AGENTS_DIR: TELLER_AGENTS };
      await using world = await PlatformWorld.create({ replicas: { runner: 2 }, settings });
      for (const service of ["session", "artifact", "memory", "eval", "runner", "gateway"] as const)
        world.start(service);
      await world.untilReady();
      const client = new PlatformClient(world.url, "teller");
      await client.createSession("talk");
      const answer = await client.run("talk", tale.text, "/run_sse", { streaming: true });
      expect(answer.status).toBe(200);
      const frames = framesOf(answer);
      expect((await frames.next()).value).toMatchObject({ partial: true });
      world.start("runner", 1);
      await world.untilReady();

      const ended = await world.process("runner", 0).end(signal);
      tale.tellAll();
      const rest = await Array.fromAsync(frames);
      const whole = rest.filter(({ partial }) => partial !== true);
      expect(whole.map(({ content }) => content?.parts[0]?.text)).toEqual([tale.whole]);
      expect(await client.conversation("talk")).toEqual([`user: ${tale.text}`, `teller: ${tale.whole}`]);
      const run = await fetch(`${world.url}/v1/runs/${answer.headers.get("x-run-id")}`);
      expect(await run.json()).toMatchObject({ status: "succeeded", attempts: 2 });
      if (handovers > 0) expect(ended).toBe(0);
    },
    TIMEOUT_MS,
  );
});

describe.skipIf(whyNoRedis() !== undefined)(
  "a run that was handed over and is cancelled before another runner has it",
  () => {
    it("ends for its readers, whom the gateway makes look at its record", { timeout: TIMEOUT_MS }, async () => {
      verifies("platform:cancelled-handover");
      const settings = { ...SETTINGS, AGENTS_DIR: SAMPLES, MAX_CONCURRENT_RUNS: "1", REDIS_KEY_PREFIX: "desk" };
      await using world = await PlatformWorld.create({ replicas: { runner: 2 }, settings });
      await using stack = new AsyncDisposableStack();
      for (const service of ["session", "artifact", "memory", "eval", "runner", "gateway"] as const)
        world.start(service);
      await world.untilReady();
      const client = new PlatformClient(world.url, "bench");
      for (const session of ["talk", "other"]) await client.createSession(session);
      const answer = await client.run("talk", "n=600 d=100 s=1", "/run_sse", { streaming: true });
      expect(answer.status).toBe(200);
      const runUrl = `${world.url}/v1/runs/${answer.headers.get("x-run-id")}`;
      const frames = framesOf(answer);
      await frames.next();
      world.start("runner", 1);
      await world.untilReady();
      // The second runner, as the first one has no slot left, is then busy as well.
      await expect
        .poll(async () => (await client.run("other", "n=600 d=100 s=1", "/run_sse", { streaming: true })).status, WAIT)
        .toBe(200);
      expect(await world.process("runner", 0).end("SIGTERM")).toBe(0);
      expect(await (await fetch(runUrl)).json()).toMatchObject({ status: "pending", attempts: 1 });

      const redis = new Redis(world.redis.url);
      stack.defer(() => redis.disconnect());
      await redis.psubscribe("desk:{*}:live");
      const messages = on(redis, "pmessage", { signal: AbortSignal.timeout(WAIT.timeout) });
      expect(await (await fetch(`${runUrl}/cancel`, { method: "POST" })).json()).toMatchObject({ status: "cancelled" });
      for await (const [, channel, text] of messages) {
        if (text !== "recheck") continue;
        expect(channel).toMatch(/^desk:\{[\w-]{22}\}:live$/);
        break;
      }
      await Array.fromAsync(frames);
    });
  },
);

interface Frame {
  readonly partial?: boolean;
  readonly content?: { readonly parts: readonly { readonly text?: string }[] };
}

/** The events of an SSE answer as they arrive. */
async function* framesOf(answer: Response): AsyncGenerator<Frame, void, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    // Each frame's first line holds an event.
    for (const frame of frames)
      if (frame.startsWith("data: ")) yield JSON.parse(frame.slice(6).split("\n", 1)[0] ?? "") as Frame;
  }
}
