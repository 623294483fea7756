// The conversation that `helm test` runs through the gateway's Service, as a client does. Exits with 1 and a sentence
// at the first fault.
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";

// URL of the gateway, app (the first one if empty), message, seconds to wait for each answer.
const [GATEWAY_URL = "http://127.0.0.1:8000", APP_NAME = "", MESSAGE = "Hello", TIMEOUT_SECONDS = "60"] =
  process.argv.slice(2);
const TIMEOUT_MS = Number(TIMEOUT_SECONDS) * 1000;
const USER = "helm-test";

process.exitCode = await main();

async function main() {
  try {
    const apps = await json("GET", "/list-apps");
    const app = APP_NAME || apps[0];
    ok(apps.includes(app), `There is no app "${app}"; there are: ${apps.join(", ")}`);
    say(`talks to ${app}`);
    const { id: sessionId } = await json("POST", `/apps/${app}/users/${USER}/sessions`, {});
    const session = { app, sessionId, path: `/apps/${app}/users/${USER}/sessions/${sessionId}` };
    try {
      await runs(session);
      await streams(session);
      await keepsArtifacts(session);
    } finally {
      await json("DELETE", session.path);
    }
    say("session deleted");
    return 0;
  } catch (error) {
    say(`failed: ${error.message}`);
    return 1;
  }
}

async function runs(session) {
  const events = await json("POST", "/run", messageOf(session));
  ok(events.length > 0, "/run answered no event");
  const failed = events.find(({ errorCode }) => errorCode);
  ok(failed === undefined, `the run failed: ${failed?.errorCode} ${failed?.errorMessage}`);
  say(`run answered ${events.length} events`);
}

/** Starts a run in the background, cuts its stream after the first event, and continues to read from there. */
async function streams(session) {
  const { runId } = await json("POST", "/v1/runs", { ...messageOf(session), streaming: true });
  const path = `/v1/runs/${encodeURIComponent(runId)}/stream`;
  const seen = await readFrames(path, {}, (frame) => frame.id !== undefined);
  const cursor = seen.at(-1)?.id;
  ok(cursor !== undefined, "the stream had no event with an id");
  say(`stream cut at ${cursor}`);
  const rest = await readFrames(path, { "last-event-id": cursor }, (frame) => frame.event === "end");
  strictEqual(
    JSON.parse(rest.at(-1)?.data ?? "{}").status,
    "succeeded",
    "the resumed stream did not end with a success",
  );
  const ids = [...seen, ...rest].map(({ id }) => id).filter((id) => id !== undefined);
  deepStrictEqual(ids, [...new Set(ids)], "the resumed stream repeated an event");
  say(`stream resumed, ${ids.length} events in all`);
  strictEqual((await json("GET", `/v1/runs/${encodeURIComponent(runId)}`)).status, "succeeded");
}

async function keepsArtifacts({ path }) {
  const filename = "helm-test.txt";
  const artifact = { inlineData: { mimeType: "text/plain", data: Buffer.from("kept").toString("base64") } };
  const { version } = await json("POST", `${path}/artifacts`, { filename, artifact });
  strictEqual(version, 0, "the first version of an artifact is 0");
  const names = await json("GET", `${path}/artifacts`);
  ok(names.includes(filename), "the saved artifact is not listed");
  const loaded = await json("GET", `${path}/artifacts/${filename}`);
  strictEqual(Buffer.from(loaded.inlineData.data, "base64").toString(), "kept", "the artifact came back changed");
  await json("DELETE", `${path}/artifacts/${filename}`);
  const left = await json("GET", `${path}/artifacts`);
  ok(!left.includes(filename), "the deleted artifact is still listed");
  say("artifact saved, listed, loaded and deleted");
}

function messageOf({ app, sessionId }) {
  return { appName: app, userId: USER, sessionId, newMessage: { role: "user", parts: [{ text: MESSAGE }] } };
}

async function json(method, path, body) {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await call(path, { method, ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await response.text();
  ok(response.ok, `${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/** Returns the frames up to the first for which `isLast` is true, and then cuts the connection. */
async function readFrames(path, headers, isLast) {
  const cut = new AbortController();
  const signal = AbortSignal.any([cut.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await call(path, { headers, signal });
  ok(response.ok, `GET ${path} answered ${response.status}`);
  const frames = [];
  let buffer = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    buffer += chunk;
    const texts = buffer.split("\n\n");
    buffer = texts.pop() ?? "";
    for (const text of texts) {
      const frame = Object.fromEntries(text.split("\n").map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
      frames.push(frame);
      if (!isLast(frame)) continue;
      cut.abort();
      return frames;
    }
  }
  return frames;
}

async function call(path, init) {
  try {
    return await fetch(new URL(path, GATEWAY_URL), init);
  } catch (error) {
    throw new Error(`${GATEWAY_URL} cannot be reached: ${error.cause?.message ?? error.message}`);
  }
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
