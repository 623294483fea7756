import { request } from "node:http";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { LiveClient, refusedStatus } from "#test/helpers/live/live-client.ts";
import type { LiveScript, ScriptedLive } from "#test/helpers/live/scripted-live-runner.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorldOptions, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const QUERY = "/run_live?app_name=echo&user_id=u&session_id=s";

/** Answers each message with its text, until the client leaves. */
const ECHO: LiveScript = async (live) => {
  for await (const { n, request: message } of readAll(live)) {
    live.taken(n);
    if (message.content !== undefined) await live.say(`${n}: ${message.content.parts?.[0]?.text}`);
    else await live.say(`${n}: ${Object.keys(message).filter((key) => message[key as "close"] !== undefined)}`);
    if (message.close === true) return;
  }
};

async function* readAll({ inputs }: ScriptedLive) {
  for (let next = await inputs.next(); next.done !== true; next = await inputs.next()) yield next.value;
}

async function serve(live: LiveScript = ECHO, options: GatewayWorldOptions = {}) {
  const world = await startGateway({ live, ...options });
  await world.store.createSession(KEY);
  const url = await world.listen();
  return { ...world, url, live: `${url}${QUERY}` };
}

it("relays messages and events, and closes with 1000 after the run", async () => {
  verifies("what-the-service-does:run-live", "endpoints-http:run-live", "endpoints-http:run-live:response");
  verifies("events:live", "wire:live:framing");
  verifies("server-objects:live-request:content", "server-objects:live-request:blob");
  verifies("server-objects:live-request:close");
  await using world = await serve();
  await using client = await LiveClient.connect(world.live);
  client.say("one");
  client.say("two");
  client.send({ blob: { mime_type: "audio/pcm;rate=16000", data: "AAAA" } });
  client.send({ activity_start: {} });
  client.send({ close: true });
  expect(await client.closed).toEqual({ code: 1000, reason: "" });
  expect(await client.texts(0)).toEqual(["1: one", "2: two", "3: blob", "4: activityStart", "5: close"]);
  const { events } = (await world.store.getSession(KEY)) ?? {};
  expect(events?.map(({ content }: Event) => content?.parts?.[0]?.text)).toEqual(await client.texts(0));
  const { runs } = await world.store.list({ session: KEY });
  expect(runs.map(({ status }) => status)).toEqual(["succeeded"]);
});

it("ends the run of a client that leaves", async () => {
  await using world = await serve();
  const client = await LiveClient.connect(world.live);
  client.say("hello");
  await client.texts(1);
  client.socket.terminate();
  await expect
    .poll(async () => (await world.store.list({ session: KEY })).runs.map(({ status }) => status))
    .toEqual(["succeeded"]);
});

it("keeps the socket while runners are lost, and sends again what was not taken", async () => {
  verifies("platform:live:runners");
  const seen: string[] = [];
  await using world = await serve(async (live) => {
    for await (const { n, request: message } of readAll(live)) {
      seen.push(`${live.attempt}/${n}`);
      if (message.close === true) return;
      // Each runner is lost at its third message, and only the first of the three was taken.
      if (seen.filter((each) => each.startsWith(`${live.attempt}/`)).length === 3)
        throw new PlatformError("STORE_UNAVAILABLE", "lost");
      if (seen.filter((each) => each.startsWith(`${live.attempt}/`)).length > 1) continue;
      await live.say(`n${n}`);
      live.taken(n);
    }
  });
  await using client = await LiveClient.connect(world.live);
  for (let n = 1; n <= 4; n += 1) client.say(`m${n}`);
  client.send({ close: true });
  expect(await client.closed).toEqual({ code: 1000, reason: "" });
  expect(seen).toEqual(["1/1", "1/2", "1/3", "2/2", "2/3", "2/4", "3/3", "3/4", "3/5"]);
  expect(await client.texts(0)).toEqual(["n1", "n2", "n3"]);
  expect(world.liveRunner?.calls.map(({ resumes }) => resumes)).toEqual([false, true, true]);
});

it.each([
  ["not JSON", "{", 1007, "The live request is not valid JSON."],
  ["a wrong type", '{"content":5}', 1007, "content must be an object."],
  ["no member", "{}", 1007, /^The live request has none of/],
  ["state of the server", '{"stateDelta":{"_adk_x":1}}', 1007, /belongs to the server/],
  ["state of the app", '{"state_delta":{"app:x":1}}', 1008, /app:x/],
  ["deep nesting", `{"stateDelta":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`, 1007, /./],
])("closes a socket that sends %s", async (_what, frame, code, reason) => {
  verifies("platform:live:closes");
  await using world = await serve();
  await using client = await LiveClient.connect(world.live);
  client.send(frame);
  expect(await client.closed).toEqual({
    code,
    reason: typeof reason === "string" ? reason : expect.stringMatching(reason),
  });
});

it("closes a socket that sends binary frames or too long ones", async () => {
  verifies("platform:live:closes", "platform:live:limits");
  await using world = await serve(ECHO, { config: { LIVE_MAX_FRAME_BYTES: 2000 } });
  await using binary = await LiveClient.connect(world.live);
  binary.socket.send(Buffer.from("{}"));
  expect((await binary.closed).code).toBe(1003);
  await using long = await LiveClient.connect(world.live);
  long.say("x".repeat(3000));
  expect((await long.closed).code).toBe(1009);
});

it("closes with 1002 for a session that does not exist, and 1011 for a run that fails", async () => {
  await using world = await serve(async ({ inputs }) => {
    await inputs.next();
    return { status: "failed", error: { code: "INTERNAL", reason: "INTERNAL", message: "The model is broken." } };
  });
  await using absent = await LiveClient.connect(`${world.url}/run_live?appName=echo&userId=u&sessionId=absent`);
  expect(await absent.closed).toMatchObject({ code: 1002, reason: expect.stringContaining("Session not found") });
  await using failing = await LiveClient.connect(world.live);
  failing.say("hello");
  expect(await failing.closed).toEqual({ code: 1011, reason: "The model is broken." });
});

it("disconnects a client that answers no ping, and closes the socket of one that sends nothing", async () => {
  verifies("platform:live:limits");
  await using deaf = await serve(ECHO, { config: { LIVE_PING_MS: 20 } });
  await using client = await LiveClient.connect(deaf.live, { autoPong: false });
  expect((await client.closed).code).toBe(1006);
  const clock = new FixedClock();
  await using silent = await serve(ECHO, { clock, config: { LIVE_PING_MS: 500, LIVE_IDLE_MS: 60_000 } });
  await using other = await LiveClient.connect(silent.live);
  clock.advance(60_001);
  expect(await other.closed).toMatchObject({ code: 1008, reason: expect.stringContaining("LIVE_IDLE_MS") });
});

it("closes open sockets with 1012 when the server is stopped", async () => {
  const world = await serve();
  await using client = await LiveClient.connect(world.live);
  client.say("hello");
  await client.texts(1);
  await world[Symbol.asyncDispose]();
  expect((await client.closed).code).toBe(1012);
});

it("refuses handshakes as HTTP: of other sites, without names, with unknown modalities", async () => {
  await using world = await serve();
  expect(await refusedStatus(world.live)).toBe(101);
  expect(await refusedStatus(world.live, { origin: "https://evil.example" })).toBe(403);
  expect(await refusedStatus(`${world.url}/run_live?app_name=echo`)).toBe(422);
  expect(await refusedStatus(`${world.live}&modalities=SMELL`)).toBe(422);
  expect(await refusedStatus(`${world.url}/list-apps`)).toBe(200);
});

it("answers the route without a handshake with 426", async () => {
  await using world = await serve();
  const response = await fetch(world.live);
  expect([response.status, ((await response.json()) as { reason: string }).reason]).toEqual([426, "UPGRADE_REQUIRED"]);
  const status = await new Promise((resolve) => {
    const headers = { connection: "Upgrade", upgrade: "h2c" };
    request(world.live, { headers }, (answer) => resolve(answer.resume().statusCode)).end();
  });
  expect(status).toBe(426);
});

it("passes the settings of the query to the run, in both spellings", async () => {
  await using world = await serve();
  for (const query of [
    "modalities=TEXT&modalities=AUDIO&proactive_audio=true&enable_affective_dialog=true&save_live_blob=true",
    "responseModalities=text&responseModalities=audio&proactiveAudio=true&enableAffectiveDialog=true&saveLiveBlob=true",
  ]) {
    await using client = await LiveClient.connect(`${world.live}&${query}`);
    client.send({ close: true });
    await client.closed;
  }
  const settings = { responseModalities: ["TEXT", "AUDIO"], enableAffectiveDialog: true, saveLiveBlob: true };
  const live = { ...settings, proactivity: { proactiveAudio: true } };
  expect(world.liveRunner?.calls.map(({ request: { live: given } }) => given)).toEqual([live, live]);
});

it("waits for a runner that reads slowly, and loses nothing", async () => {
  const go = Promise.withResolvers<void>();
  let bytes = 0;
  await using world = await serve(async (live) => {
    await go.promise;
    for await (const { n, request: message } of readAll(live)) {
      bytes += message.blob?.data?.length ?? 0;
      live.taken(n);
      if (message.close === true) return;
    }
  });
  await using client = await LiveClient.connect(world.live);
  const data = "A".repeat(100_000);
  for (let count = 0; count < 200; count += 1) client.send({ blob: { mimeType: "audio/pcm", data } });
  client.send({ close: true });
  // The rest waits in the client's own buffers.
  await expect.poll(() => client.socket.bufferedAmount, { timeout: 5000 }).toBeGreaterThan(1_000_000);
  go.resolve();
  expect((await client.closed).code).toBe(1000);
  expect(bytes).toBe(200 * 100_000);
});

it("cuts off a client that reads nothing", async () => {
  verifies("platform:live:limits");
  await using world = await serve(
    async (live) => {
      for (let count = 0; count < 500; count += 1) await live.partial("x".repeat(100_000));
      await live.inputs.next();
    },
    { config: { SSE_STALL_MS: 200 } },
  );
  await using client = await LiveClient.connect(world.live);
  client.socket.pause();
  await expect
    .poll(async () => (await world.store.list({ session: KEY })).runs.map(({ status }) => status), { timeout: 10_000 })
    .toEqual(["succeeded"]);
});

it("leaves nothing behind of clients that misbehave", async () => {
  verifies("platform:live:closes", "platform:live:limits");
  await using world = await serve(ECHO, { config: { LIVE_MAX_FRAME_BYTES: 2000, HEADERS_TIMEOUT_MS: 300 } });
  const { port } = new URL(world.url);
  const raw = (text: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
      let answer = "";
      socket.on("data", (bytes) => (answer += bytes.toString("latin1")));
      socket.on("error", () => {});
      socket.on("close", () => resolve(answer));
    });
  const head = `GET ${QUERY} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
  const abused = [
    // A handshake that never ends, of another version, from another site, and one without a session.
    raw(head),
    raw(`${head}${key.replace("13", "99")}\r\n`),
    raw(`${head}${key}Origin: https://evil.example\r\n\r\n`),
    raw(`${head.replace("session_id=s", "session_id=")}${key}\r\n`),
    // Frames that are not masked, or no frames at all.
    raw(`${head}${key}\r\n\x81\x02{}`),
    raw(`${head}${key}\r\n${"\xff".repeat(100)}`),
  ];
  expect((await Promise.all(abused)).map((text) => /^HTTP\/1\.1 (\d+)/.exec(text)?.[1])).toEqual([
    ...["408", "400", "403", "422", "101", "101"],
  ]);
  for (const bad of ["{", "{}", JSON.stringify({ content: { parts: [{ text: "x".repeat(3000) }] } })]) {
    await using client = await LiveClient.connect(world.live);
    client.send(bad);
    await client.closed;
  }
  const connections = (): Promise<number> =>
    new Promise((resolve) => world.gateway.server.getConnections((_error, count) => resolve(count)));
  await expect.poll(connections, { timeout: 5000 }).toBe(0);
  await expect
    .poll(async () => new Set((await world.store.list({ session: KEY })).runs.map(({ status }) => status)))
    .toEqual(new Set(["succeeded"]));
});
