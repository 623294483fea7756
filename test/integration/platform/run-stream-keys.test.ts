import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { createRedisRunTransport } from "#adapters/redis/redis-run-transport.ts";
import { runKeys } from "#adapters/redis/run-keys.ts";
import { systemClock as clock } from "#kit/platform/clock.ts";
import type { PublishedEntry, RunStreamEntry } from "#ports/runs/run-stream.ts";
import { redisUsersOfPage } from "#test/helpers/security/redis-users-of-page.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PLATFORM_SERVICES, PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const PREFIX = "desk";
const USER = { username: "fairlead-runner", password: "PASSWORD" };
const WHOLE = "x".repeat(60);
const FORGED = "forged by another runner";
const FORGED_EPOCH = 99;
const FORGED_EVENT = { id: FORGED, author: FORGED, content: { parts: [{ text: FORGED }] } };
const FORGERIES: readonly PublishedEntry[] = [
  { kind: "event", epoch: FORGED_EPOCH, n: 1, eventId: FORGED, json: JSON.stringify(FORGED_EVENT), partial: true },
  { kind: "end", epoch: FORGED_EPOCH, n: 2, status: "failed" },
];
const SETTINGS = {
  // A model whose message sets the speed of its answer.
  AGENTS_DIR: fileURLToPath(new URL("../../../agents", import.meta.url)),
  REDIS_KEY_PREFIX: PREFIX,
};

describe.skipIf(whyNoRedis() !== undefined)("who has a runner's user of Redis and the id of another's run", () => {
  it("reads nothing of the run, and neither ends it nor adds to what its readers get", {
    timeout: 120_000,
  }, async () => {
    verifies("platform:redis:stream-keys");
    await using world = await PlatformWorld.create({ settings: SETTINGS });
    await using stack = new AsyncDisposableStack();
    const admin = new Redis(world.redis.url);
    stack.defer(() => admin.disconnect());
    for (const args of await redisUsersOfPage()) await admin.call("ACL", ...args);
    const runner = { REDIS_USERNAME: USER.username, REDIS_PASSWORD: USER.password };
    for (const service of PLATFORM_SERVICES) world.start(service, 0, service === "runner" ? runner : {});
    await world.untilReady();
    const redis = createRedis({ url: world.redis.url, ...USER });
    stack.defer(() => redis.disconnect());
    const attacker = stack.use(createRedisRunTransport({ redis, keyPrefix: PREFIX, clock }));

    const client = new PlatformClient(world.url, "bench");
    await client.createSession("talk");
    const sessionUrl = `${world.url}/v1/apps/bench/users/ada/sessions/talk`;
    const session = untilWhole(await fetch(`${sessionUrl}/stream`));
    const answer = await client.run("talk", "n=60 d=50 s=1", "/run_sse", { streaming: true });
    const runId = answer.headers.get("x-run-id") ?? "";
    const stolen: RunStreamEntry[] = [];
    const stealing = new AbortController();
    const thief = (async () => {
      for await (const batch of attacker.runStream.subscribe(runId, { signal: stealing.signal })) stolen.push(...batch);
    })();
    await attacker.runStream.publish(runId, FORGERIES);
    for (const kind of ["cancel", "awaited", "ended", "available"] as const)
      attacker.runNotifications?.notify({ kind, runId });
    const late = fetch(`${world.url}/v1/runs/${runId}/stream`);
    const streams = [await answer.text(), await (await late).text(), await session];

    const texts = streams.map((stream) => [...stream.matchAll(/"text":"([^"]*)"/g)].map(([, text = ""]) => text));
    expect(texts.map((all) => all.at(-1))).toEqual(Array(3).fill(WHOLE));
    expect(texts.every((all) => all.length > 10)).toBe(true);
    expect(streams.join()).not.toContain(FORGED);
    const record = await (await fetch(`${world.url}/v1/runs/${runId}`)).json();
    expect(record).toMatchObject({ status: "succeeded", attempts: 1, cancelRequested: false });
    stealing.abort();
    await thief;
    expect(stolen).toEqual(FORGERIES);

    const keys = (await admin.keys(`${PREFIX}:{*}:log`)).filter((key) => key !== runKeys(PREFIX, { runId }).log);
    expect(keys.map((key) => key.replace(/\{[\w-]{22}\}/, "{…}"))).toEqual([`${PREFIX}:{…}:log`]);
    expect(JSON.stringify(await admin.xrange(keys[0] ?? "", "-", "+"))).toContain(WHOLE);
    const streamKey = keys[0]?.slice(`${PREFIX}:{`.length, -"}:log".length) ?? "";
    const list = await (await fetch(`${world.url}/v1/runs?appName=bench&userId=ada`)).text();
    const stored = await (await fetch(sessionUrl)).text();
    const answers = [...streams, JSON.stringify(record), list, stored].join();
    expect(answers).toContain(runId);
    expect(answers).not.toContain(streamKey);
  });
});

/** What a stream without an end has sent when it has the whole answer. */
async function untilWhole({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes(`"${WHOLE}"`)) return text;
  }
  throw new Error("The stream of the session ended.");
}
