import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const TIMEOUT_MS = 120_000;
const SETTINGS = {
  // A model whose message sets the speed of its answer.
  AGENTS_DIR: fileURLToPath(new URL("../../../agents", import.meta.url)),
  LEASE_MS: "2000",
  SHUTDOWN_GRACE_MS: "0",
  SHUTDOWN_DRAIN_MS: "0",
};

describe.skipIf(whyNoRedis() !== undefined)("six processes and a second runner", () => {
  it.each([
    ["is killed", "SIGKILL", 0],
    ["is asked to end", "SIGTERM", 1],
  ] as const)(
    "continue an answer whose runner %s, in the stream that its reader has open",
    async (_, signal, handovers) => {
      verifies("platform:run-survives-runner");
      await using world = await PlatformWorld.create({ replicas: { runner: 2 }, settings: SETTINGS });
      for (const service of ["session", "artifact", "memory", "eval", "runner", "gateway"] as const)
        world.start(service);
      await world.untilReady();
      const client = new PlatformClient(world.url, "bench");
      await client.createSession("talk");
      const answer = await client.run("talk", "n=60 d=50 s=1", "/run_sse", { streaming: true });
      const frames = framesOf(answer);
      expect((await frames.next()).value).toMatchObject({ partial: true });
      world.start("runner", 1);
      await world.untilReady();

      const ended = world.process("runner", 0).end(signal);
      const rest = await Array.fromAsync(frames);
      const whole = rest.filter(({ partial }) => partial !== true);
      expect(whole.map(({ content }) => content?.parts[0]?.text)).toEqual(["x".repeat(60)]);
      expect(await client.conversation("talk")).toEqual(["user: n=60 d=50 s=1", `bench: ${"x".repeat(60)}`]);
      const run = await fetch(`${world.url}/v1/runs/${answer.headers.get("x-run-id")}`);
      expect(await run.json()).toMatchObject({ status: "succeeded", attempts: 2 });
      if (handovers > 0) expect(await ended).toBe(0);
    },
    TIMEOUT_MS,
  );
});

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
