import { gzipSync } from "node:zlib";
import type { InjectOptions } from "fastify";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { openRawHttp, statusesIn } from "#test/helpers/clients/raw-http.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const SESSIONS = "/apps/echo/users/u/sessions";
const SESSION = `${SESSIONS}/s`;
const MIB = 1024 * 1024;

type Outcome = readonly [status: number, reason: string | undefined];

async function send(
  world: GatewayWorld,
  url: string,
  payload: NonNullable<InjectOptions["payload"]>,
  options: InjectOptions = {},
): Promise<Outcome> {
  const headers = { "content-type": "application/json", ...options.headers };
  const { statusCode, body } = await world.gateway.inject({ method: "POST", url, payload, ...options, headers });
  // An event of a stream, or JSON.
  const { reason } = JSON.parse(body.replace(/^data: /, "")) as { readonly reason?: string };
  return [statusCode, reason];
}

function run(parts: readonly object[], rest: object = {}): object {
  return { appName: "echo", userId: "u", sessionId: "s", newMessage: { role: "user", parts }, ...rest };
}

function keys(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
}

function file(bytes: number): object {
  return { inlineData: { mimeType: "image/png", data: Buffer.alloc(bytes).toString("base64") } };
}

describe("bodies that are small and cost much", () => {
  it.each([
    ["lists in a list", SESSIONS, `{"state":{"a":[${"[],".repeat(600_000)}[]]}}`],
    ["distinct keys", SESSIONS, JSON.stringify({ state: keys(100_000) })],
    ["events of a history", SESSIONS, `{"events":[${'{"author":"user"},'.repeat(60_000)}{"author":"user"}]}`],
    ["brackets that are never closed", SESSIONS, "[".repeat(MIB)],
    ["brackets that are never closed, where files are taken", "/run", "[".repeat(49 * MIB)],
    ["a run's state", "/run", JSON.stringify(run([{ text: "hi" }], { stateDelta: keys(60_000) }))],
    ["an evaluation set", "/apps/echo/eval_sets", `{"evalSet":{"evalCases":[${"[],".repeat(600_000)}[]]}}`],
  ])("are refused before they are parsed: %s", async (_name, url, payload) => {
    verifies("limits:json-structure");
    await using world = await startGateway();
    expect(await send(world, url, payload)).toEqual([400, "JSON_TOO_COMPLEX"]);
    expect((await world.gateway.inject(SESSIONS)).json()).toEqual([]);
  });

  it("are bounded by settings", async () => {
    verifies("limits:json-structure", "limits:imported-events");
    await using world = await startGateway({ config: { MAX_JSON_ELEMENTS: 100, MAX_IMPORTED_EVENTS: 1 } });
    expect(await send(world, SESSIONS, { state: { list: Array(101).fill(1) } })).toEqual([400, "JSON_TOO_COMPLEX"]);
    const events = [{ author: "user" }, { author: "user" }];
    expect(await send(world, SESSIONS, { events })).toEqual([413, "TOO_MANY_EVENTS"]);
  });
});

describe("state and history from clients", () => {
  it.each<[string, "POST" | "PATCH", string, object]>([
    ["of a new session", "POST", SESSIONS, { state: keys(1001) }],
    ["of a new session under an id", "POST", `${SESSIONS}/new`, { state: { text: "x".repeat(256 * 1024) } }],
    ["in a change", "PATCH", SESSION, { stateDelta: keys(1001) }],
    ["of a run", "POST", "/run", run([{ text: "hi" }], { stateDelta: keys(1001) })],
    ["of a background run", "POST", "/v1/runs", run([{ text: "hi" }], { stateDelta: keys(1001) })],
  ])("has bounds %s", async (_name, method, url, payload) => {
    verifies("limits:state");
    await using world = await startGateway();
    await send(world, SESSION, {});
    expect(await send(world, url, payload, { method })).toEqual([413, "STATE_TOO_LARGE"]);
    expect((await world.gateway.inject(SESSIONS)).json()).toHaveLength(1);
    expect((await world.gateway.inject(SESSION)).json()).toMatchObject({ state: {}, events: [] });
  });

  it("refuses a history of more than 1,000 events, and stores none of its files", async () => {
    verifies("limits:imported-events");
    await using world = await startGateway();
    const said = { author: "user", content: { role: "user", parts: [{ text: "x" }] } };
    const events = [
      { author: "user", content: { role: "user", parts: [file(400 * 1024)] } },
      ...Array(1000).fill(said),
    ];
    expect(await send(world, SESSIONS, { sessionId: "s", events })).toEqual([413, "TOO_MANY_EVENTS"]);
    const session = { appName: "echo", userId: "u", id: "s" };
    expect((await world.artifacts.listArtifactKeys(session)).filenames).toEqual([]);
  });
});

describe("bodies with files", () => {
  it("may have 50 MiB, of which 2 MiB are not files", async () => {
    verifies("limits:body-size");
    await using world = await startGateway();
    await send(world, SESSION, {});
    const artifacts = `${SESSION}/artifacts`;
    expect(await send(world, "/run", run([{ text: "what is it?" }, file(3 * MIB)]))).toEqual([200, undefined]);
    expect(await send(world, artifacts, { filename: "f", artifact: file(3 * MIB) })).toEqual([200, undefined]);
    expect(await send(world, artifacts, { filename: "t", artifact: { text: "x".repeat(3 * MIB) } })).toEqual([
      200,
      undefined,
    ]);
    expect(await send(world, "/run", run([{ text: "x".repeat(3 * MIB) }]))).toEqual([413, "BODY_TOO_LARGE"]);
    expect(await send(world, "/run_sse", run([{ text: "x" }, file(50 * MIB)]))).toEqual([413, "BODY_TOO_LARGE"]);
    expect(await send(world, SESSIONS, { state: { x: "x".repeat(2 * MIB) } })).toEqual([413, "BODY_TOO_LARGE"]);
  });

  it("have little metadata", async () => {
    await using world = await startGateway();
    const artifact = { text: "hello" };
    const customMetadata = { note: "x".repeat(64 * 1024) };
    expect(await send(world, `${SESSION}/artifacts`, { filename: "f", artifact, customMetadata })).toEqual([
      422,
      "INVALID_FIELD",
    ]);
  });
});

describe("bodies of all requests together", () => {
  const config = { MAX_BODY_BYTES: 20_000, MAX_FILE_BODY_BYTES: 20_000, MAX_BODY_BYTES_IN_FLIGHT: 25_000 };
  const upload = (length: number): string =>
    `POST ${SESSIONS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

  it("are bounded: what is too much is answered 503 with a time, and there is room again when a client has left", async () => {
    verifies("limits:body-size");
    await using world = await startGateway({ config });
    const address = await world.listen();
    await using slow = openRawHttp(address);
    slow.socket.write(upload(20_000) + `{"state":{"x":"${"x".repeat(15_000)}`);
    const post = () =>
      fetch(`${address}${SESSIONS}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ state: { x: "x".repeat(12_000) } }),
      });
    let response = await post();
    // Until the server has read the slow client's bytes.
    while (response.status === 200) response = await post();
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await response.json()).toMatchObject({ reason: "TOO_MANY_BODIES", code: "UNAVAILABLE" });
    slow.socket.destroy();
    while (response.status === 503) response = await post();
    expect(response.status).toBe(200);
  });

  it("do not count lengths that are only announced", async () => {
    await using world = await startGateway({ config });
    const address = await world.listen();
    await using one = openRawHttp(address);
    await using two = openRawHttp(address);
    one.socket.write(upload(20_000));
    two.socket.write(upload(20_000));
    expect((await fetch(`${address}${SESSIONS}`, { method: "POST" })).status).toBe(200);
  });

  it("do not count a body whose run has started", async () => {
    const held = Promise.withResolvers<void>();
    await using world = await startGateway({ config, script: () => held.promise });
    const address = await world.listen();
    await send(world, SESSION, {});
    const post = (path: string, body: object) =>
      fetch(address + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const running = await post("/run_sse", run([{ text: "x".repeat(15_000) }]));
    expect(running.status).toBe(200);
    expect((await post(SESSIONS, { state: { x: "x".repeat(15_000) } })).status).toBe(200);
    held.resolve();
    await running.text();
  });

  it("are never fewer than one body may have", async () => {
    await expect(startGateway({ config: { MAX_BODY_BYTES_IN_FLIGHT: 1024 } })).rejects.toThrow(
      /MAX_BODY_BYTES_IN_FLIGHT/,
    );
  });
});

describe("what counts as JSON", () => {
  it.each([
    "application/json",
    "application/merge-patch+json",
    "Application/Problem+JSON; charset=utf-8",
    "application/vnd.a.b+json ; v=1",
  ])("takes %s", async (type) => {
    await using world = await startGateway();
    expect(await send(world, SESSIONS, "{}", { headers: { "content-type": type } })).toEqual([200, undefined]);
  });

  it.each([
    "application/jsonp",
    "application/+jsons",
    "text/json",
    "application/x-json",
    "+json",
    "application/json+xml",
  ])("refuses %s", async (type) => {
    await using world = await startGateway();
    const headers = { "content-type": type };
    expect(await send(world, SESSIONS, "{}", { headers })).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
  });

  it("refuses a body that is compressed", async () => {
    await using world = await startGateway();
    const headers = { "content-encoding": "gzip" };
    expect(await send(world, SESSIONS, gzipSync("{}"), { headers })).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
  });
});

describe("a blank session id", () => {
  it.each(["", " ", "\t \n", "\u00a0"])("is none for a new session: %j", async (sessionId) => {
    verifies("session:blank-id");
    await using world = await startGateway();
    const response = await world.gateway.inject({ method: "POST", url: SESSIONS, payload: { sessionId } });
    const { id } = response.json<{ readonly id: string }>();
    expect([response.statusCode, id]).toEqual([200, expect.stringMatching(/^id-\d+$/)]);
  });

  it("is none in the path", async () => {
    await using world = await startGateway();
    const response = await world.gateway.inject({ method: "POST", url: `${SESSIONS}/%20` });
    expect([response.statusCode, response.json()]).toEqual([
      200,
      expect.objectContaining({ id: expect.stringMatching(/^id-/) }),
    ]);
  });

  it.each(["/run", "/run_sse", "/v1/runs"])("is missing in a run: %s", async (url) => {
    verifies("session:blank-id");
    await using world = await startGateway({ config: { AUTO_CREATE_SESSION: true } });
    for (const sessionId of ["", "  "])
      expect(await send(world, url, run([{ text: "hi" }], { sessionId }))).toEqual([422, "INVALID_FIELD"]);
    expect((await world.gateway.inject(SESSIONS)).json()).toEqual([]);
  });
});

describe("bodies on the wire", () => {
  const head = (rest: string): string => `POST ${SESSIONS} HTTP/1.1\r\nHost: localhost\r\n${rest}\r\n\r\n`;

  it("end the connection when they never end", async () => {
    await using world = await startGateway({ config: { MAX_BODY_BYTES: 20_000 } });
    await using raw = openRawHttp(await world.listen());
    raw.socket.write(head("Content-Type: application/json\r\nTransfer-Encoding: chunked"));
    const chunk = `1000\r\n${" ".repeat(0x1000)}\r\n`;
    const timer = setInterval(() => raw.socket.write(chunk), 1);
    const received = await raw.closed;
    clearInterval(timer);
    expect(statusesIn(received)).toEqual([413]);
  });

  it.each([
    ["of another type", "Content-Type: text/plain", SESSIONS, 415],
    ["to a path that is not there", "Content-Type: application/json", "/nope", 413],
  ])("end the connection when they are refused and never end: %s", async (_name, type, path, status) => {
    await using world = await startGateway();
    await using raw = openRawHttp(await world.listen());
    raw.socket.write(head(`${type}\r\nTransfer-Encoding: chunked`).replace(SESSIONS, path));
    const chunk = `1000\r\n${" ".repeat(0x1000)}\r\n`;
    const timer = setInterval(() => raw.socket.write(chunk), 1);
    const received = await raw.closed;
    clearInterval(timer);
    expect(statusesIn(received)).toEqual([status]);
  });

  it("may be cut off by the client without harm", async () => {
    await using world = await startGateway();
    const address = await world.listen();
    await using raw = openRawHttp(address);
    raw.socket.write(`${head("Content-Type: application/json\r\nContent-Length: 100")}{"state":`);
    raw.socket.end();
    await raw.closed;
    expect((await fetch(`${address}${SESSIONS}`)).status).toBe(200);
    expect((await world.gateway.inject(SESSIONS)).json()).toEqual([]);
  });

  it("may follow each other on one connection, with and without bytes", async () => {
    await using world = await startGateway();
    await using raw = openRawHttp(await world.listen());
    const json = "Content-Type: application/json\r\n";
    raw.socket.write(head(`${json}Content-Length: 2`) + "{}");
    raw.socket.write(head("Content-Length: 0"));
    raw.socket.write(head(`${json}Transfer-Encoding: chunked`) + "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n");
    raw.socket.write(head(`${json}Content-Length: 2\r\nConnection: close`) + "[]");
    expect(statusesIn(await raw.closed)).toEqual([200, 200, 200, 422]);
  });

  it.each([
    ["a length beside chunks", "Content-Length: 2\r\nTransfer-Encoding: chunked"],
    ["two lengths", "Content-Length: 2\r\nContent-Length: 3"],
    ["a length that is not a number", "Content-Length: 2x"],
    ["a header of 100 KB", `X-Long: ${"x".repeat(100_000)}`],
  ])("are refused with %s", async (_name, lines) => {
    await using world = await startGateway();
    await using raw = openRawHttp(await world.listen());
    raw.socket.write(`${head(`Content-Type: application/json\r\n${lines}`)}{}`);
    const [status] = statusesIn(await raw.closed);
    expect([400, 431]).toContain(status);
  });

  it("may come with thousands of headers", async () => {
    await using world = await startGateway();
    await using raw = openRawHttp(await world.listen());
    raw.socket.write(head(`Connection: close\r\n${Array.from({ length: 1500 }, (_, at) => `a${at}: 1`).join("\r\n")}`));
    expect([200, 431]).toContain(statusesIn(await raw.closed)[0]);
  });
});
