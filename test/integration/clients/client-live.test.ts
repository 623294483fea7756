import { createClient } from "fairlead/client";
import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { LiveRunnerService, RunLiveRequest } from "#ports/runs/live-runner-service.ts";
import { EVERYBODY } from "#services/gateway/identity/caller.ts";
import { bearerToken } from "#services/gateway/identity/credentials.ts";
import type { LiveScript } from "#test/helpers/live/scripted-live-runner.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorldOptions, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };

/** Answers each message with its number and members, until the client leaves. */
const ECHO: LiveScript = async ({ inputs, say }) => {
  for (let next = await inputs.next(); next.done !== true; next = await inputs.next()) {
    const { n, request } = next.value;
    await say(`${n} ${request.content?.parts?.[0]?.text ?? request.blob?.data ?? Object.keys(request).at(-1)}`);
    if (request.close === true) return;
  }
};

async function serve(live: LiveScript = ECHO, options: GatewayWorldOptions = {}) {
  const world = await startGateway({ live, ...options });
  await world.store.createSession(KEY);
  return { ...world, baseUrl: await world.listen() };
}

const retry = { maxAttempts: 4, baseDelayMs: 1, maxDelayMs: 1 };

async function textsOf(call: AsyncIterable<{ readonly content?: { parts?: readonly { text?: string }[] } }>) {
  const texts: (string | undefined)[] = [];
  for await (const { content } of call) texts.push(content?.parts?.[0]?.text);
  return texts;
}

it("talks: text, audio, the end", async () => {
  await using world = await serve();
  const call = createClient({ baseUrl: world.baseUrl }).live(KEY, { modalities: ["TEXT", "AUDIO"] });
  call.say("hello");
  call.sendAudio(new Uint8Array([0, 255, 1]));
  call.close();
  call.say("too late");
  expect(await textsOf(call)).toEqual(["1 hello", "2 AP8B", "3 close"]);
  expect(world.liveRunner?.calls[0]?.request.live).toEqual({ responseModalities: ["TEXT", "AUDIO"] });
});

it("connects again while the server has no room, and sends what was said meanwhile", async () => {
  verifies("platform:live:client");
  let calls = 0;
  await using world = await serve(ECHO, {
    watch: (name, port) => {
      if (name !== "liveRunner") return port;
      const runLive = (request: RunLiveRequest) => {
        calls += 1;
        if (calls < 3) throw new PlatformError("SESSION_BUSY", "Another run has the session.");
        return (port as unknown as LiveRunnerService).runLive(request);
      };
      return { runLive } as unknown as typeof port;
    },
  });
  const failures: number[] = [];
  const client = createClient({ baseUrl: world.baseUrl, retry });
  const call = client.live(KEY, { onReconnect: (about) => failures.push(about.failures) });
  setTimeout(() => {
    call.say("hello");
    call.close();
  }, 100);
  expect(await textsOf(call)).toEqual(["1 hello", "2 close"]);
  expect(failures).toEqual([1, 2]);
});

it("gives up where nothing listens, after the attempts of its policy", async () => {
  const world = await serve();
  await world[Symbol.asyncDispose]();
  const failures: number[] = [];
  const client = createClient({ baseUrl: world.baseUrl, retry });
  const call = client.live(KEY, { onReconnect: (about) => failures.push(about.failures) });
  await expect(textsOf(call)).rejects.toMatchObject({ reason: "CONNECTION_LOST" });
  expect(failures).toEqual([1, 2, 3]);
});

it("throws what the server says about a refused handshake, a session, a message and a run", async () => {
  await using world = await serve(async ({ inputs }) => {
    await inputs.next();
    return { status: "failed", error: { code: "INTERNAL", reason: "INTERNAL", message: "The model is broken." } };
  });
  const client = createClient({ baseUrl: world.baseUrl, retry });
  await expect(textsOf(client.live(KEY, { modalities: ["SMELL"] }))).rejects.toMatchObject({ status: 422 });
  const absent = client.live({ ...KEY, id: "absent" });
  await expect(textsOf(absent)).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
  const wrong = client.live(KEY);
  wrong.send({ stateDelta: { _adk_x: 1 } });
  await expect(textsOf(wrong)).rejects.toMatchObject({ reason: "LIVE_CALL_CLOSED", details: { closeCode: "1007" } });
  const failing = client.live(KEY);
  failing.say("hello");
  await expect(textsOf(failing)).rejects.toMatchObject({ reason: "RUN_FAILED", message: "The model is broken." });
});

it("exchanges credentials in headers for a ticket, anew for each connection", async () => {
  const authenticate = (request: Parameters<typeof bearerToken>[0]) =>
    bearerToken(request) === "ada" ? { ...EVERYBODY, source: "api-key" as const, userId: "u" } : undefined;
  await using world = await serve(ECHO, { deps: { authenticators: [{ authenticate }] } });
  const of = (token: string) =>
    createClient({ baseUrl: world.baseUrl, retry, headers: { authorization: `Bearer ${token}` } }).live(KEY);
  for (let count = 0; count < 2; count += 1) {
    const call = of("ada");
    call.close();
    expect(await textsOf(call)).toEqual(["1 close"]);
  }
  await expect(textsOf(of("bob"))).rejects.toMatchObject({ status: 401 });
});

it("ends with its signal, and leaves the conversation when its loop is left", async () => {
  await using world = await serve();
  const client = createClient({ baseUrl: world.baseUrl });
  const controller = new AbortController();
  const call = client.live(KEY, { signal: controller.signal });
  call.say("hello");
  const read = async () => {
    for await (const _event of call) controller.abort(new Error("enough"));
  };
  await expect(read()).rejects.toThrow("enough");
  const left = client.live(KEY);
  left.say("hello");
  for await (const _event of left) break;
  await expect
    .poll(async () => (await world.store.list({ session: KEY })).runs.map(({ status }) => status))
    .toEqual(["succeeded", "succeeded"]);
});
