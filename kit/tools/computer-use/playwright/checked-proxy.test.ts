import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { readAllowedHosts } from "#kit/outbound-http/allowed-hosts.ts";
import type { AddressLookup } from "#kit/outbound-http/checked-lookup.ts";
import { CheckedProxy } from "./checked-proxy.ts";

interface Asked {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
}

async function startTarget(): Promise<{ readonly port: number; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((incoming, response) => {
    asked.push({ line: `${incoming.method} ${incoming.headers.host}${incoming.url}`, headers: incoming.headers });
    incoming.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

async function startProxy(allowed: readonly string[], lookup: AddressLookup): Promise<URL> {
  const proxy = new CheckedProxy({ allowedHosts: readAllowedHosts(allowed), lookup });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return new URL(await proxy.listen());
}

const loopback: AddressLookup = async () => [{ address: "127.0.0.1", family: 4 }];

const END_TO_END = { authorization: "Bearer site", cookie: "a=1; b=2", "x-own": "x" };
const OF_THE_HOP = {
  "proxy-connection": "keep-alive",
  "proxy-authorization": "Basic cHJveHk=",
  "keep-alive": "timeout=9",
};

async function post(proxy: URL, path: string): Promise<readonly [status: number | undefined, body: string]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly [number | undefined, string]>();
  const headers = { ...END_TO_END, ...OF_THE_HOP, host: URL.parse(path)?.host ?? "" };
  const sent = request({ host: proxy.hostname, port: proxy.port, path, method: "POST", headers }, (response) => {
    text(response).then((body) => resolve([response.statusCode, body]), reject);
  });
  sent.on("error", reject);
  sent.end("hello");
  return promise;
}

async function tunnel(proxy: URL, authority: string, message: string): Promise<string> {
  const socket = connect({ host: proxy.hostname, port: Number(proxy.port) });
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`);
  socket.once("data", () => socket.write(message));
  return text(socket);
}

it("forwards a request to an allowed host, without the headers of the hop", async () => {
  const { port, asked } = await startTarget();
  const proxy = await startProxy([`inner.test:${port}`], loopback);
  expect(await post(proxy, `http://inner.test:${port}/a?b=1`)).toEqual([200, "hello"]);
  expect(asked).toMatchObject([{ line: `POST inner.test:${port}/a?b=1`, headers: END_TO_END }]);
  const sent = new Set(Object.keys(asked[0]?.headers ?? {}));
  expect(Object.keys(OF_THE_HOP).filter((name) => sent.has(name))).toEqual([]);
});

it("tunnels to an allowed host", async () => {
  const { port } = await startTarget();
  const proxy = await startProxy([`inner.test:${port}`], loopback);
  const answer = await tunnel(proxy, `inner.test:${port}`, "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  expect(answer).toContain("HTTP/1.1 200 Connection Established");
  expect(answer).toContain("HTTP/1.1 200 OK");
});

it.each([
  "http://127.0.0.1/",
  "http://[::1]/",
  "http://inner.test/",
  "http://public.test/",
  "http://public.test:22/",
  "/",
  "ftp://a/",
])("refuses a request to %s", async (url) => {
  // The name is public, and its address is not.
  const [status, body] = await post(await startProxy([], loopback), url);
  expect([status, body]).toEqual([403, expect.stringContaining("may not be called")]);
});

it.each(["127.0.0.1:443", "[::1]:443", "public.test:443", "public.test:22", "public.test", "a b:1", "@x:1"])(
  "refuses a tunnel to %s",
  async (authority) => {
    const answer = await tunnel(await startProxy([], loopback), authority, "");
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /);
  },
);

it("reports a host that cannot be reached", async () => {
  const proxy = await startProxy([], () => Promise.reject(new Error("unknown")));
  expect(await post(proxy, "http://public.test/")).toEqual([502, "The address cannot be reached."]);
});

it("closes its tunnels when it is closed", async () => {
  const { port } = await startTarget();
  const proxy = new CheckedProxy({ allowedHosts: readAllowedHosts([`inner.test:${port}`]), lookup: loopback });
  const address = new URL(await proxy.listen());
  const socket = connect({ host: address.hostname, port: Number(address.port) });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  // A reset is a close too.
  socket.on("error", () => {});
  socket.write(`CONNECT inner.test:${port} HTTP/1.1\r\n\r\n`);
  await new Promise((resolve) => socket.once("data", resolve));
  await proxy[Symbol.asyncDispose]();
  await closed;
});
