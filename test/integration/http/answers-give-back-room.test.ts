import { expect, it, onTestFinished } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const SESSIONS = "/apps/echo/users/u/sessions";
const SESSION = `${SESSIONS}/s`;
/** Three answers, or a few more, have room at the same time. */
const ROOM = 1_000_000;
const TIMES = 12;

/** A session of 300 KB with a file of 300 KB in a message, an artifact of that size, and a list of sessions. */
async function startWorld() {
  const world = await startGateway({ config: { MAX_ANSWER_BYTES: ROOM, MAX_ANSWER_BYTES_PER_USER: ROOM } });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const url = await world.listen();
  const data = Buffer.alloc(300_000, "fairlead").toString("base64");
  const parts = [{ text: "x".repeat(200_000) }, { inlineData: { mimeType: "image/png", data } }];
  const created = await fetch(url + SESSION, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ state: {}, events: [{ author: "user", content: { role: "user", parts } }] }),
  });
  expect(created.status).toBe(200);
  await created.arrayBuffer();
  await world.artifacts.saveArtifact({ session: KEY, filename: "file", artifact: parts[1] ?? {} });
  for (let index = 0; index < 20; index += 1)
    await world.store.createSession({ ...KEY, id: `s${index}`, state: { text: "x".repeat(15_000) } });
  return { ...world, url };
}

it.each([
  ["a session", SESSION],
  ["the sessions of a user", SESSIONS],
  ["a page of the sessions", `${SESSIONS}?pageSize=9`],
  ["a file", `${SESSION}/artifacts/file`],
  ["the versions of a file", `${SESSION}/artifacts/file/versions/metadata`],
])("an answer with %s gives its room back at its end", async (_title, path) => {
  const { url } = await startWorld();
  for (let time = 0; time < TIMES; time += 1) {
    const answer = await fetch(url + path);
    expect([answer.status, (await answer.arrayBuffer()).byteLength > 2]).toEqual([200, true]);
  }
});

it.each([
  ["a session", `${SESSIONS}/long`],
  ["a file", `${SESSIONS}/long/artifacts/file`],
  ["the stream of a session", `/v1${SESSIONS}/long/stream?after=0`],
])("an answer with %s gives its room back when its reader leaves", async (_title, path) => {
  const { url, store, artifacts } = await startWorld();
  // More than the system's buffers take.
  const text = "x".repeat(128 * 1024);
  const long = { ...KEY, id: "long" };
  const events = Array.from({ length: 48 }, (_, index) =>
    createEvent({ id: `e-${index}`, invocationId: "i", author: "user", timestamp: index, content: userContent(text) }),
  );
  await store.createSession({ ...long, events });
  await artifacts.saveArtifact({ session: long, filename: "file", artifact: { text: text.repeat(48) } });
  for (let time = 0; time < TIMES / 2; time += 1) {
    const leave = new AbortController();
    const answer = await fetch(url + path, { signal: leave.signal });
    expect(answer.status).toBe(200);
    await answer.body?.getReader().read();
    leave.abort();
  }
  expect((await fetch(url + SESSION)).status).toBe(200);
});

it.each([
  ["a list that cannot be read", "listSessions", SESSIONS],
  ["a session that cannot be read", "listEventRecords", SESSION],
] as const)("%s gives its room back", async (_title, method, path) => {
  const { url, store } = await startWorld();
  const fail = () => Promise.reject(new Error("down"));
  const original = store[method];
  Object.assign(store, { [method]: fail });
  for (let time = 0; time < TIMES; time += 1) {
    const answer = await fetch(url + path).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
  }
  Object.assign(store, { [method]: original });
  const answer = await fetch(url + path);
  expect([answer.status, (await answer.arrayBuffer()).byteLength > 1000]).toEqual([200, true]);
});
