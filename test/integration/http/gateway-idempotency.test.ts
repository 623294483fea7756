import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { describe, expect, it } from "vitest";
import { MAX_INLINE_DATA_BYTES } from "#kit/artifacts/inline-data.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const SESSIONS = "/apps/echo/users/u/sessions";
const RUN = { appName: "echo", userId: "u", sessionId: "s", newMessage: { role: "user", parts: [{ text: "hi" }] } };
const OTHER_RUN = { ...RUN, newMessage: { role: "user", parts: [{ text: "bye" }] } };
const FILE = { filename: "a.txt", artifact: { text: "one" } };
const OTHER_FILE = { ...FILE, artifact: { text: "two" } };

/** Each call that creates something, with a request and a different one. */
const CALLS: Readonly<Record<string, readonly [url: string, body: object, other: object]>> = {
  "POST /run": ["/run", RUN, OTHER_RUN],
  "POST /run_sse": ["/run_sse", RUN, OTHER_RUN],
  "POST /v1/runs": ["/v1/runs", RUN, OTHER_RUN],
  "creating a session": [SESSIONS, { state: { a: 1 } }, { state: { a: 2 } }],
  "creating a session under an id": [`${SESSIONS}/mine`, { state: { a: 1 } }, { state: { a: 2 } }],
  "saving an artifact": [`${SESSIONS}/s/artifacts`, FILE, OTHER_FILE],
};

/** Counts of the store's content: runs, sessions, versions of the file. */
async function counts(world: GatewayWorld): Promise<readonly number[]> {
  const { runs } = await world.store.list({});
  const { sessions } = await world.store.listSessions({ appName: "echo", userId: "u" });
  const { versions } = await world.artifacts.listVersions({ session: KEY, filename: "a.txt" });
  return [runs.length, sessions.length, versions.length];
}

function post(world: GatewayWorld, url: string, payload: object, key = "once"): Promise<LightMyRequestResponse> {
  const request: InjectOptions = { method: "POST", url, payload, headers: { "idempotency-key": key } };
  return world.gateway.inject(request);
}

describe.each(Object.entries(CALLS))("%s under an idempotency key", (_name, [url, body, other]) => {
  it("does its work once and answers the repeat what the first call was answered", async () => {
    await using world = await startGateway();
    await world.store.createSession(KEY);
    const first = await post(world, url, body);
    expect(first.statusCode).toBeLessThan(300);
    const before = await counts(world);
    const repeat = await post(world, url, body);
    const isRecord = url === "/v1/runs";
    expect([repeat.statusCode, isRecord ? repeat.json<{ runId: string }>().runId : repeat.body]).toEqual([
      first.statusCode,
      isRecord ? first.json<{ runId: string }>().runId : first.body,
    ]);
    expect(await counts(world)).toEqual(before);
  });

  it("refuses another request under the same key and changes nothing", async () => {
    await using world = await startGateway();
    await world.store.createSession(KEY);
    await post(world, url, body);
    const before = await counts(world);
    const response = await post(world, url, other);
    expect([response.statusCode, response.json()]).toMatchObject([422, { reason: "IDEMPOTENCY_KEY_REUSED" }]);
    expect(await counts(world)).toEqual(before);
  });

  it("does its work again under another key", async () => {
    await using world = await startGateway();
    await world.store.createSession(KEY);
    await post(world, url, body);
    const response = await post(world, url, body, "twice");
    // The id of an existing session.
    expect(response.statusCode).toBe(url.endsWith("/mine") ? 409 : (await post(world, url, body)).statusCode);
  });

  it.each([
    ["k".repeat(10_000), /^The header Idempotency-Key is over 256 bytes/],
    ["", /^The header Idempotency-Key is empty/],
    ["a\tb", /^The header Idempotency-Key has a control character/],
  ])("refuses a key that is none and names the header", async (key, message) => {
    await using world = await startGateway();
    await world.store.createSession(KEY);
    const before = await counts(world);
    const response = await post(world, url, body, key);
    expect([response.statusCode, response.json()]).toMatchObject([
      400,
      { reason: "INVALID_IDENTIFIER", message: expect.stringMatching(message) },
    ]);
    expect(await counts(world)).toEqual(before);
  });
});

it("takes a run's repeat with large data for the same request", async () => {
  await using world = await startGateway();
  await world.store.createSession(KEY);
  const data = Buffer.alloc(MAX_INLINE_DATA_BYTES + 1, 7).toString("base64");
  const withData = { ...RUN, newMessage: { role: "user", parts: [{ inlineData: { mimeType: "image/png", data } }] } };
  const first = await post(world, "/v1/runs", withData);
  const repeat = await post(world, "/v1/runs", withData);
  expect([repeat.statusCode, repeat.json<{ runId: string }>().runId]).toEqual([
    202,
    first.json<{ runId: string }>().runId,
  ]);
});

it("refuses a run's repeat with another concurrency policy, and takes one that names none", async () => {
  await using world = await startGateway();
  await world.store.createSession(KEY);
  const first = await post(world, "/v1/runs", { ...RUN, policy: "enqueue" });
  const other = await post(world, "/v1/runs", { ...RUN, policy: "interrupt" });
  expect([other.statusCode, other.json()]).toMatchObject([422, { reason: "IDEMPOTENCY_KEY_REUSED" }]);
  const repeat = await post(world, "/v1/runs", RUN);
  expect([repeat.statusCode, repeat.json()]).toMatchObject([202, { runId: first.json<{ runId: string }>().runId }]);
});

it("keeps the keys of users apart", async () => {
  await using world = await startGateway();
  const one = await post(world, SESSIONS, {});
  const other = await post(world, "/apps/echo/users/v/sessions", {});
  expect(other.json()).toMatchObject({ userId: "v", id: expect.not.stringMatching(one.json<{ id: string }>().id) });
});

it("lets a call that failed be made again", async () => {
  await using world = await startGateway();
  const save = world.artifacts.saveArtifact.bind(world.artifacts);
  world.artifacts.saveArtifact = () => Promise.reject(new PlatformError("STORE_UNAVAILABLE", "away"));
  expect((await post(world, `${SESSIONS}/s/artifacts`, FILE)).statusCode).toBe(503);
  world.artifacts.saveArtifact = save;
  expect((await post(world, `${SESSIONS}/s/artifacts`, FILE)).json()).toMatchObject({ version: 0 });
});

it("asks a repeat to wait for the first call", async () => {
  await using world = await startGateway();
  const saving = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const save = world.artifacts.saveArtifact.bind(world.artifacts);
  world.artifacts.saveArtifact = async (request) => {
    reached.resolve();
    await saving.promise;
    return save(request);
  };
  const first = post(world, `${SESSIONS}/s/artifacts`, FILE);
  await reached.promise;
  const repeat = await post(world, `${SESSIONS}/s/artifacts`, FILE);
  expect([repeat.statusCode, repeat.json()]).toMatchObject([409, { reason: "IDEMPOTENCY_KEY_IN_USE" }]);
  saving.resolve();
  expect((await first).json()).toMatchObject({ version: 0 });
});

it("finds the session of a key that was forgotten", async () => {
  await using world = await startGateway();
  const first = await post(world, SESSIONS, { state: { a: 1 } });
  world.deps.idempotencyStore.claim = async () => undefined;
  expect((await post(world, SESSIONS, { state: { a: 1 } })).json()).toEqual(first.json());
});
