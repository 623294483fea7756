import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it } from "vitest";
import { ChunkedBody } from "./chunked-body.ts";

/** What a client reads from a server that answers each request with `respond`, until the server closes. */
async function read(requests: string, respond: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    response.shouldKeepAlive = request.url !== "/last";
    respond(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (data: string) => {
    text += data;
  });
  socket.write(requests);
  await once(socket, "close");
  server.close();
  return text;
}

const get = (path: string, version = "1.1") => `GET ${path} HTTP/${version}\r\nhost: a\r\n\r\n`;
const bodies = (text: string) => text.split(/HTTP\/1\.1 200 OK\r\n.*?\r\n\r\n/s).slice(1);

function respond(response: ServerResponse): void {
  response.sendDate = false;
  response.writeHead(200, { "x-first": "1" });
  response.flushHeaders();
  const body = new ChunkedBody(response);
  body.write("data: a\n\n");
  body.write("data: ü€\n\n");
  body.writeBytes(Buffer.from("bytes"));
  body.end();
}

const CHUNKS = "9\r\ndata: a\n\n\r\nd\r\ndata: ü€\n\n\r\n5\r\nbytes\r\n0\r\n\r\n";

describe("ChunkedBody", () => {
  it("writes each text as one chunk, and the connection serves the next request", async () => {
    expect(bodies(await read(get("/") + get("/last"), respond))).toEqual([CHUNKS, CHUNKS]);
  });

  it("puts a chunk's frame and text into one buffer", async () => {
    const buffers: number[] = [];
    await read(get("/last"), (response) => {
      response.writeHead(200);
      response.flushHeaders();
      const body = new ChunkedBody(response);
      const before = response.socket?.writableLength ?? 0;
      body.write("data: a\n\n");
      buffers.push((response.socket?.writableLength ?? 0) - before);
      body.end();
    });
    expect(buffers).toEqual(["9\r\ndata: a\n\n\r\n".length]);
  });

  it("passes a text that is alone to the socket immediately, in its order among other texts", async () => {
    const taken: unknown[] = [];
    const text = await read(get("/last"), (response) => {
      response.writeHead(200);
      response.flushHeaders();
      const body = new ChunkedBody(response);
      taken.push(body.writeAlone("ü1"), response.socket?.writableLength);
      body.write("2");
      taken.push(body.writeAlone("3"));
      body.write("4");
      body.end();
    });
    expect(taken).toEqual([true, 0, false]);
    expect(bodies(text)).toEqual(["3\r\nü1\r\n1\r\n2\r\n1\r\n4\r\n0\r\n\r\n"]);
  });

  it("leaves a text to the response that may fill the socket, or does not go to one", async () => {
    const taken: boolean[] = [];
    const offer = (text: string) => (response: ServerResponse) => {
      response.writeHead(200);
      response.flushHeaders();
      const body = new ChunkedBody(response);
      taken.push(body.writeAlone(text));
      body.end();
    };
    await read(get("/last"), offer("x".repeat(4097)));
    await read(get("/", "1.0"), offer("x"));
    expect(taken).toEqual([false, false]);
  });

  it("writes no frames for HTTP/1.0", async () => {
    expect(bodies(await read(get("/", "1.0"), respond))).toEqual(["data: a\n\ndata: ü€\n\nbytes"]);
  });

  it("answers HEAD without a body", async () => {
    expect(bodies(await read(get("/last").replace("GET", "HEAD"), respond))).toEqual([""]);
  });
});
