import { expect, it } from "vitest";
import { createClient, type FairleadClient } from "./create-client.ts";

const SESSION = { appName: "a b", userId: "u/1", id: "s?1" };
const PATH = "/apps/a%20b/users/u%2F1/sessions/s%3F1";
const FILES = `${PATH}/artifacts`;
const KEY = { idempotencyKey: "key" };
const WITH_KEY = { "idempotency-key": "key" };
const MESSAGE = { role: "user", parts: [{ text: "hi" }] };

const data = { ...SESSION, state: {}, events: [], lastUpdateTime: 1 };
const run = { runId: "r/1", status: "running", sessionId: "s", userId: "u", appName: "a" };
const version = { version: 2, createTime: 3, canonicalUri: "x" };
const runOf = { runs: [run], nextPageToken: "next" };
const call = { id: "c", name: "look", args: {} };
const question = { id: "c", name: "look", kind: "work", agent: "a", tool: "look" };
const claim = { by: "u", mine: true, since: 1, until: 2 };
const entry = { id: "r/1", appName: "a", userId: "u", sessionId: "s", waitingSince: 1, questions: [question] };

interface Expected {
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** What the server answers, which the call returns as it is if `value` is absent. */
  readonly answer: unknown;
  readonly value?: unknown;
}

const CASES: readonly (readonly [string, (client: FairleadClient) => Promise<unknown>, Expected])[] = [
  ["apps.list", (client) => client.apps.list(), { request: "GET /list-apps", answer: ["x"] }],
  [
    "sessions.create",
    (client) => client.sessions.create({ ...SESSION, state: { a: 1 } }, KEY),
    {
      ...{ request: "POST /apps/a%20b/users/u%2F1/sessions", headers: WITH_KEY, answer: data },
      body: { sessionId: "s?1", state: { a: 1 } },
    },
  ],
  [
    "sessions.get",
    (client) => client.sessions.get(SESSION, { numRecentEvents: 0, afterTimestamp: 1.5 }),
    { request: `GET ${PATH}?numRecentEvents=0&afterTimestamp=1.5`, answer: data },
  ],
  [
    "sessions.list",
    (client) => client.sessions.list(SESSION, { pageSize: 2, pageToken: "t&1" }),
    {
      request: "GET /apps/a%20b/users/u%2F1/sessions?pageSize=2&pageToken=t%261",
      ...{ answer: [data], value: { sessions: [data], nextPageToken: "more" } },
    },
  ],
  [
    "sessions.delete",
    (client) => client.sessions.delete(SESSION),
    { request: `DELETE ${PATH}`, answer: null, value: undefined },
  ],
  [
    "sessions.patchState",
    (client) => client.sessions.patchState(SESSION, { a: null }),
    { request: `PATCH ${PATH}`, body: { stateDelta: { a: null } }, answer: data },
  ],
  [
    "runs.start",
    (client) =>
      client.runs.start({ session: SESSION, newMessage: "hi", stateDelta: { a: 1 } }, { ...KEY, streaming: true }),
    {
      ...{ request: "POST /v1/runs", headers: WITH_KEY, answer: run },
      body: {
        appName: "a b",
        userId: "u/1",
        sessionId: "s?1",
        newMessage: MESSAGE,
        streaming: true,
        stateDelta: { a: 1 },
      },
    },
  ],
  ["runs.get", (client) => client.runs.get("r/1"), { request: "GET /v1/runs/r%2F1", answer: run }],
  [
    "runs.list",
    (client) => client.runs.list({ session: SESSION, status: "running", find: "x y", pageSize: 1, pageToken: "t" }),
    {
      request: "GET /v1/runs?status=running&find=x+y&pageSize=1&pageToken=t&appName=a+b&userId=u%2F1&sessionId=s%3F1",
      answer: runOf,
    },
  ],
  [
    "runs.list, the last page",
    (client) => client.runs.list({ appName: "a", userId: "u" }),
    { request: "GET /v1/runs?appName=a&userId=u", answer: { runs: [] } },
  ],
  [
    "inbox.list",
    (client) => client.inbox.list({ appName: "a b", userId: "u", pageSize: 2, pageToken: "t" }),
    {
      request: "GET /v1/inbox?appName=a+b&userId=u&pageSize=2&pageToken=t",
      answer: { entries: [entry], nextPageToken: "next" },
    },
  ],
  ["inbox.get", (client) => client.inbox.get("r/1"), { request: "GET /v1/inbox/r%2F1", answer: entry }],
  [
    "inbox.answer",
    (client) => client.inbox.answer("r/1", { confirmed: true, answers: { c: { sky: "blue" } } }),
    { request: "POST /v1/inbox/r%2F1", body: { confirmed: true, answers: { c: { sky: "blue" } } }, answer: run },
  ],
  [
    "inbox.claim",
    (client) => client.inbox.claim("r/1", { takeOver: true }),
    { request: "POST /v1/inbox/r%2F1/claim", body: { takeOver: true }, answer: claim },
  ],
  [
    "inbox.release",
    (client) => client.inbox.release("r/1"),
    { request: "DELETE /v1/inbox/r%2F1/claim", answer: null, value: undefined },
  ],
  [
    "runs.listCalls",
    (client) => client.runs.listCalls("r/1"),
    { request: "GET /v1/runs/r%2F1/calls", answer: { calls: [call] }, value: [call] },
  ],
  [
    "runs.cancel",
    (client) => client.runs.cancel("r/1", { wait: true }),
    { request: "POST /v1/runs/r%2F1/cancel?wait=true", answer: run },
  ],
  [
    "runs.requeue",
    (client) => client.runs.requeue("r/1", KEY),
    { request: "POST /v1/runs/r%2F1/requeue", headers: WITH_KEY, answer: run },
  ],
  ["artifacts.list", (client) => client.artifacts.list(SESSION), { request: `GET ${FILES}`, answer: ["a/b"] }],
  [
    "artifacts.get",
    (client) => client.artifacts.get(SESSION, "a/b"),
    { request: `GET ${FILES}/a%2Fb/versions/latest`, answer: { text: "x" } },
  ],
  [
    "artifacts.get of a version",
    (client) => client.artifacts.get(SESSION, "a/b", { version: 0 }),
    { request: `GET ${FILES}/a%2Fb/versions/0`, answer: { text: "x" } },
  ],
  [
    "artifacts.put",
    (client) => client.artifacts.put(SESSION, "a/b", { text: "x" }, { ...KEY, customMetadata: { of: 1 } }),
    {
      ...{ request: `POST ${FILES}`, headers: WITH_KEY, answer: version },
      body: { filename: "a/b", artifact: { text: "x" }, customMetadata: { of: 1 } },
    },
  ],
  [
    "artifacts.delete",
    (client) => client.artifacts.delete(SESSION, "a/b"),
    { request: `DELETE ${FILES}/a%2Fb`, answer: null, value: undefined },
  ],
  [
    "artifacts.listVersions",
    (client) => client.artifacts.listVersions(SESSION, "a/b"),
    { request: `GET ${FILES}/a%2Fb/versions/metadata`, answer: [version] },
  ],
  [
    "memory.addSession",
    (client) => client.memory.addSession(SESSION),
    { request: "PATCH /apps/a%20b/users/u%2F1/memory", body: { sessionId: "s?1" }, answer: null, value: undefined },
  ],
];

it.each(CASES)("%s sends what it is given, and returns what is answered", async (_name, send, expected) => {
  const seen: unknown[] = [];
  const client = createClient({
    baseUrl: "http://127.0.0.1:1/base",
    headers: { authorization: "Bearer key" },
    fetch: async (input, init) => {
      const { "idempotency-key": key, authorization } = Object.fromEntries(new Headers(init?.headers));
      seen.push({
        request: `${init?.method} ${String(input).replace("http://127.0.0.1:1/base", "")}`,
        headers: { authorization, ...(key !== undefined && { "idempotency-key": key }) },
        body: init?.body === undefined || init.body === null ? undefined : JSON.parse(String(init.body)),
      });
      return Response.json(expected.answer, { headers: { "x-next-page-token": "more" } });
    },
  });
  const value = await send(client);
  expect(value).toEqual(Object.hasOwn(expected, "value") ? expected.value : expected.answer);
  const { request, headers = {}, body } = expected;
  expect(seen).toEqual([{ request, headers: { authorization: "Bearer key", ...headers }, body }]);
});
