import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { closeGateway } from "#services/gateway/listen.ts";
import { SseReader } from "#test/helpers/clients/sse-reader.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const RUN = { appName: "echo", userId: "u", sessionId: "s", newMessage: { role: "user", parts: [{ text: "hi" }] } };
const STREAM = "/v1/apps/echo/users/u/sessions/s/stream";

async function open(world: GatewayWorld, sent: string): Promise<Socket> {
  const address = world.gateway.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(sent);
  return socket;
}

/** Status and JSON body of an answer that closes its connection. */
async function answerOf(socket: Socket): Promise<readonly [number, unknown]> {
  const answer = await text(socket);
  return [Number(answer.slice(9, 12)), JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4))];
}

describe("a request that does not arrive", () => {
  it.each([
    ["whose headers stop", "GET /version HTTP/1.1\r\nhost: localhost\r\n"],
    [
      "whose body stops",
      'POST /run HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"appName":',
    ],
  ])("%s is answered 408 and its connection is closed", async (_, sent) => {
    verifies("limits:slow-request");
    await using world = await startGateway({ config: { HEADERS_TIMEOUT_MS: 50, REQUEST_TIMEOUT_MS: 100 } });
    await world.listen();
    expect(await answerOf(await open(world, sent))).toMatchObject([408, { reason: "REQUEST_TIMEOUT", status: 408 }]);
    expect(world.logs).toEqual([]);
  });

  it("is 400 where it is not HTTP", async () => {
    await using world = await startGateway();
    await world.listen();
    expect(await answerOf(await open(world, "GET\r\n\r\n"))).toMatchObject([400, { reason: "MALFORMED_REQUEST" }]);
  });
});

it("has room for what is usual by default", async () => {
  verifies("limits:slow-request", "limits:connections", "limits:body-size", "limits:json-structure");
  await using world = await startGateway();
  expect(world.deps.config).toMatchObject({
    HEADERS_TIMEOUT_MS: 30_000,
    REQUEST_TIMEOUT_MS: 300_000,
    MAX_CONNECTIONS: 10_000,
    MAX_BODY_BYTES_IN_FLIGHT: 128 * 1024 * 1024,
    MAX_JSON_ELEMENTS: 50_000,
  });
});

describe("connections beyond the limit", () => {
  it("are answered 503 until others are closed, and health checks always", async () => {
    verifies("limits:connections");
    await using world = await startGateway({ config: { MAX_CONNECTIONS: 2 } });
    await world.listen();
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;
    const idle = [await open(world, ""), await open(world, "")];
    const surplus = await open(world, get("/version"));
    const [head = ""] = (await text(surplus)).split("\r\n\r\n", 1);
    expect(head).toMatch(/^HTTP\/1\.1 503 .*retry-after: 5/s);
    expect(await answerOf(await open(world, get("/health")))).toEqual([200, { status: "ok" }]);
    for (const socket of idle) socket.destroy();
    await expect.poll(async () => (await answerOf(await open(world, get("/version"))))[0]).toBe(200);
  });

  it("are closed without an answer where there are a tenth more", async () => {
    verifies("limits:connections");
    await using world = await startGateway({ config: { MAX_CONNECTIONS: 10 } });
    await world.listen();
    const sockets = [];
    for (let index = 0; index < 11; index += 1) sockets.push(await open(world, ""));
    expect(await text(await open(world, "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"))).toBe("");
    for (const socket of sockets) socket.destroy();
  });
});

describe("streams of one user beyond the limit", () => {
  it("are refused with 429 until one is closed, whatever they stream, and other users are served", async () => {
    verifies("limits:runs-of-user");
    await using world = await startGateway({
      config: { MAX_STREAMS_PER_USER: 2 },
      script: () => new Promise(() => {}),
    });
    await world.store.createSession(KEY);
    await world.store.createSession({ ...KEY, userId: "other" });
    const url = await world.listen();
    const { runId } = (await (await post(`${url}/v1/runs`)).json()) as { readonly runId: string };
    await using first = await SseReader.open(url + STREAM);
    const second = await SseReader.open(`${url}/v1/runs/${runId}/stream`);
    expect([first.status, second.status]).toEqual([200, 200]);
    const started = world.runner.started.length;
    for (const path of ["/run_sse", "/run-sse", STREAM, `/v1/runs/${runId}/stream`]) {
      const refused = await (path.startsWith("/run") ? post(url + path) : fetch(url + path));
      expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toMatchObject([
        429,
        "5",
        { reason: "TOO_MANY_STREAMS", details: { limit: "MAX_STREAMS_PER_USER" } },
      ]);
    }
    expect(world.runner.started).toHaveLength(started);
    await using other = await SseReader.open(url + STREAM.replace("/u/", "/other/"));
    expect(other.status).toBe(200);
    await second[Symbol.asyncDispose]();
    const statusOfNext = async (): Promise<number> => {
      await using again = await SseReader.open(url + STREAM);
      return again.status;
    };
    await expect.poll(statusOfNext).toBe(200);
  });

  it("are a hundred by default", async () => {
    verifies("limits:runs-of-user", "limits:run-duration");
    await using world = await startGateway();
    expect(world.deps.config).toMatchObject({ MAX_STREAMS_PER_USER: 100, RUN_TIMEOUT_MS: 1_800_000 });
  });
});

async function post(url: string): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(RUN) });
}

it("a request that is on its way when the server closes is answered, as the last of its connection", async () => {
  verifies("platform:closing");
  await using world = await startGateway();
  await world.listen();
  const request = "GET /version HTTP/1.1\r\nhost: localhost\r\n";
  // The first request shows that the connection is served; the second has only begun.
  const socket = await open(world, `${request}\r\n${request}`);
  await once(socket, "data");
  const closed = closeGateway(world.gateway);
  socket.write("\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 .*connection: close/is);
  await closed;
});
