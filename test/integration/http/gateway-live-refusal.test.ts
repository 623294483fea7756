import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Authenticator } from "#services/gateway/identity/authenticator.ts";
import { type Caller, EVERYBODY } from "#services/gateway/identity/caller.ts";
import {
  LIVE_CLOSE_CODE,
  LIVE_CLOSE_REASON,
  liveHandshakes,
  refuseLive,
} from "#services/gateway/origins/live-refusal.ts";
import { type GatewayWorldOptions, startGateway } from "#test/helpers/worlds/gateway-world.ts";

interface Closed {
  readonly opened: boolean;
  readonly code: number;
  readonly reason: string;
  readonly wasClean: boolean;
}

/** How the server closes a WebSocket. */
async function closeOf(url: string): Promise<Closed> {
  const socket = new WebSocket(url);
  let opened = false;
  socket.addEventListener("open", () => {
    opened = true;
  });
  return new Promise((resolve) => {
    socket.addEventListener("close", ({ code, reason, wasClean }) => resolve({ opened, code, reason, wasClean }));
  });
}

/** The status of a handshake that ended as HTTP; 101 for one that did not. */
async function handshake(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { connection: "Upgrade", upgrade: "websocket", ...headers } });
    asked.on("response", (response) => resolve(response.resume().statusCode));
    asked.on("upgrade", ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    asked.on("error", reject).end();
  });
}

/** Everything that the server sends after a handshake. */
async function rawAnswer(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { connection: "Upgrade", upgrade: "websocket", ...headers } });
    asked.on("upgrade", (response, socket, head) => {
      let text = JSON.stringify([response.statusCode, response.headers]) + head.toString("latin1");
      socket.on("data", (bytes: Buffer) => {
        text += bytes.toString("latin1");
      });
      socket.on("end", () => {
        socket.destroy();
        resolve(text);
      });
    });
    asked.on("error", reject).end();
  });
}

const QUERY = "?app_name=echo&user_id=u&session_id=s";
const KEY = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13" };

async function serve(config: GatewayWorldOptions["config"] = {}, deps: GatewayWorldOptions["deps"] = {}) {
  const world = await startGateway({ config, deps });
  const url = await world.listen();
  return { url, live: url.replace("http", "ws"), [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

it("accepts a WebSocket for a live run and closes it with a code and a reason", async () => {
  await using world = await serve({ PATH_PREFIX: "/team" });
  const expected = { opened: true, code: LIVE_CLOSE_CODE, reason: LIVE_CLOSE_REASON, wasClean: true };
  expect(await closeOf(`${world.live}/run_live${QUERY}`)).toEqual(expected);
  expect(await closeOf(`${world.live}/team/run_live${QUERY}`)).toEqual(expected);
  expect(Buffer.byteLength(LIVE_CLOSE_REASON)).toBeLessThanOrEqual(123);
});

it("closes it alike for everybody, whatever the handshake names and whoever sends it", async () => {
  const callers: Readonly<Record<string, Caller>> = { ada: { ...EVERYBODY, subject: "ada", userId: "ada" } };
  const authenticate: Authenticator["authenticate"] = ({ headers }) => {
    if (headers.authorization === "expired")
      throw new PlatformError("UNAUTHENTICATED", "The credentials have expired.");
    return callers[String(headers.authorization)];
  };
  await using server = await serve({}, { authenticators: [{ authenticate }] });
  const answerTo = async (query: string, headers: Readonly<Record<string, string>>) =>
    rawAnswer(`${server.url}/run_live${query}`, { ...KEY, ...headers });
  const anonymous = await answerTo("", {});
  expect(anonymous).toContain(LIVE_CLOSE_REASON);
  const credentials: Record<string, string>[] = [
    {},
    { authorization: "ada" },
    { authorization: "expired" },
    { cookie: "fairlead=forged" },
  ];
  for (const query of [QUERY, "?app_name=none&user_id=ada&session_id=absent", "?user_id=bob&resume=1.1"])
    for (const headers of credentials) expect(await answerTo(query, headers)).toBe(anonymous);
});

it("refuses one from a page of another site", async () => {
  await using world = await serve();
  expect(await handshake(`${world.url}/run_live${QUERY}`, KEY)).toBe(101);
  expect(await handshake(`${world.url}/run_live${QUERY}`, { ...KEY, origin: "https://evil.example" })).toBe(403);
});

it("answers other requests that ask for an upgrade as plain HTTP", async () => {
  await using world = await serve();
  expect(await handshake(`${world.url}/list-apps`, KEY)).toBe(200);
  expect(await handshake(`${world.url}/run_live`, {})).toBe(501);
  expect(await handshake(`${world.url}/run_live`, { upgrade: "h2c" })).toBe(501);
});

it("answers each request for an upgrade on a Node that passes them all on", async () => {
  // Without `shouldUpgradeCallback`, this Node passes them on as older ones do.
  await using server = createServer();
  refuseLive(server, liveHandshakes(), () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  expect(await handshake(`${url}/run_live${QUERY}`, KEY)).toBe(101);
  expect(await handshake(`${url}/list-apps`, { upgrade: "h2c" })).toBe(501);
  expect(await handshake(`${url}/run_live${QUERY}`, { upgrade: "h2c", ...KEY })).toBe(501);
});
