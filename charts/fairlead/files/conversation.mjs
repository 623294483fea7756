// The conversation that `helm test` runs through the gateway's Service, as a client does. Exits with 1 and a sentence
// at the first fault.
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8000" },
    // The first one if empty.
    app: { type: "string", default: "" },
    message: { type: "string", default: "Hello" },
    // Time to wait for each answer.
    "timeout-seconds": { type: "string", default: "60" },
    // The gateway must refuse requests without credentials.
    authenticated: { type: "boolean", default: false },
    // File with an API key or a token.
    "token-file": { type: "string" },
  },
});
const TIMEOUT_MS = Number(options["timeout-seconds"]) * 1000;
const CREDENTIALS = credentials(options["token-file"]);

process.exitCode = await main();

async function main() {
  try {
    await json("GET", "/ready");
    if (options.authenticated) await refusesOthers();
    if (options.authenticated && !options["token-file"]) {
      say("the conversation needs a token: set test.tokenSecret");
      return 0;
    }
    const apps = await json("GET", "/list-apps");
    const app = options.app || apps[0];
    ok(apps.includes(app), `There is no app "${app}"; there are: ${apps.join(", ")}`);
    say(`talks to ${app}`);
    // A token may be of one user only.
    const { userId = "helm-test" } = await json("GET", "/auth/me");
    const sessions = `/apps/${app}/users/${encodeURIComponent(userId)}/sessions`;
    const { id: sessionId } = await json("POST", sessions, {});
    const session = { app, userId, sessionId, path: `${sessions}/${sessionId}` };
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

async function refusesOthers() {
  const { status } = await call("/list-apps", { signal: AbortSignal.timeout(TIMEOUT_MS) });
  strictEqual(status, 401, "the gateway accepts requests without credentials");
  say("refuses requests without credentials");
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

function messageOf({ app, userId, sessionId }) {
  const newMessage = { role: "user", parts: [{ text: options.message }] };
  return { appName: app, userId, sessionId, newMessage };
}

async function json(method, path, body) {
  const headers = { ...CREDENTIALS, ...(body !== undefined && { "content-type": "application/json" }) };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await call(path, { method, headers, ...sent, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await response.text();
  ok(response.ok, `${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/** Returns the frames up to the first for which `isLast` is true, and then cuts the connection. */
async function readFrames(path, headers, isLast) {
  const cut = new AbortController();
  const signal = AbortSignal.any([cut.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await call(path, { headers: { ...CREDENTIALS, ...headers }, signal });
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
    return await fetch(new URL(path, options.url), init);
  } catch (error) {
    throw new Error(`${options.url} cannot be reached: ${error.cause?.message ?? error.message}`);
  }
}

function credentials(file) {
  return file ? { authorization: `Bearer ${readFileSync(file, "utf8").trim()}` } : {};
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
