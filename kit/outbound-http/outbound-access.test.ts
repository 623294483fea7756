import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { createOutboundAccess, type OutboundAccessOptions } from "./outbound-access.ts";

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server on loopback that the names `a.example` and `b.example` lead to, and access that allows them. */
async function startWorld(answer: RequestListener, options: OutboundAccessOptions = {}) {
  const received: Received[] = [];
  const lookedUp: string[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const outbound = createOutboundAccess({
    allowedHosts: [`a.example:${port}`, `b.example:${port}`],
    lookup: async (hostname) => {
      lookedUp.push(hostname);
      return [{ address: "127.0.0.1", family: 4 }];
    },
    ...options,
  });
  return {
    outbound,
    received,
    lookedUp,
    port,
    a: `http://a.example:${port}`,
    b: `http://b.example:${port}`,
    [Symbol.asyncDispose]: async () => {
      await outbound[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const to = (location: string, status = 302): RequestListener => {
  return (request, response) => {
    if (request.url === "/end") response.end("the end");
    else response.writeHead(status, { location }).end();
  };
};

describe("outbound access", () => {
  it("answers as fetch does, from the address that was checked", async () => {
    await using world = await startWorld((_request, response) => {
      response.writeHead(201, { "x-kind": "test", "content-type": "text/plain" }).end("hello");
    });
    const body = new FormData();
    body.set("name", "Ada");
    const response = await world.outbound.fetch(`${world.a}/x?y=1`, {
      method: "post",
      body,
      headers: { "x-key": "k", host: "inner.example" },
    });
    expect([response.status, response.url, response.headers.get("x-kind"), await response.text()]).toEqual([
      201,
      `${world.a}/x?y=1`,
      "test",
      "hello",
    ]);
    expect(response).toBeInstanceOf(Response);
    expect(world.received[0]).toMatchObject({ method: "POST", url: "/x?y=1", headers: { "x-key": "k" } });
    expect(world.received[0]?.headers.host).toBe(`a.example:${world.port}`);
    expect(world.received[0]?.body).toContain("Ada");
    expect(world.lookedUp).toEqual(["a.example"]);
  });

  it("refuses a name with an inner address before anything is sent", async () => {
    verifies("platform:outbound-addresses");
    await using world = await startWorld((_request, response) => void response.end());
    // Port 80 is called without being allowed, and the resolver leads to loopback.
    await expect(world.outbound.fetch("http://public.example/")).rejects.toMatchObject({
      reason: "OUTBOUND_ADDRESS_REFUSED",
      details: { host: "public.example" },
    });
    expect(world.received).toEqual([]);
  });

  it.each([
    "http://127.0.0.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/",
    "file:///etc/passwd",
    "http://public.example/",
  ])("refuses a redirect to %s", async (location) => {
    await using world = await startWorld(to(location));
    await expect(world.outbound.fetch(`${world.a}/`)).rejects.toMatchObject({ reason: "OUTBOUND_ADDRESS_REFUSED" });
    expect(world.received).toHaveLength(1);
  });

  it("follows three redirects", async () => {
    await using world = await startWorld((request, response) => {
      const step = Number(request.url?.slice(1));
      if (step === 0) response.end("done");
      else response.writeHead(307, { location: `/${step - 1}` }).end();
    });
    const response = await world.outbound.fetch(`${world.a}/3`);
    expect([response.url, await response.text()]).toEqual([`${world.a}/0`, "done"]);
    await expect(world.outbound.fetch(`${world.a}/4`)).rejects.toMatchObject({ reason: "OUTBOUND_REDIRECT_REFUSED" });
  });

  it("returns a redirect, or refuses it, if the caller asks for that", async () => {
    await using world = await startWorld(to("/end"));
    const manual = await world.outbound.fetch(world.a, { redirect: "manual" });
    expect([manual.status, manual.headers.get("location")]).toEqual([302, "/end"]);
    await expect(world.outbound.fetch(world.a, { redirect: "error" })).rejects.toMatchObject({
      reason: "OUTBOUND_REDIRECT_REFUSED",
    });
  });

  it("takes credentials along to the same origin only", async () => {
    await using world = await startWorld((request, response) => {
      const [first, second] = [`${world.a}/same`, `${world.b}/end`];
      if (request.url === "/end") response.end();
      else response.writeHead(302, { location: request.url === "/" ? first : second }).end();
    });
    const headers = { authorization: "Bearer t", cookie: "c=1", "x-api-key": "k", accept: "text/plain" };
    await (await world.outbound.fetch(world.a, { headers })).text();
    const sent = world.received.map(({ headers: { authorization, cookie, "x-api-key": key, accept } }) => {
      return [authorization, cookie, key, accept];
    });
    const all = ["Bearer t", "c=1", "k", "text/plain"];
    expect(sent).toEqual([all, all, [undefined, undefined, undefined, "text/plain"]]);
  });

  it.each([
    [303, "PUT", "GET"],
    [302, "POST", "GET"],
    [307, "POST", "POST"],
  ])("treats the body at a redirect with status %i after %s as fetch does", async (status, method, next) => {
    await using world = await startWorld(to("/end", status));
    await (await world.outbound.fetch(world.a, { method, body: "data" })).text();
    expect(world.received.map(({ method: sent, body }) => [sent, body])).toEqual([
      [method, "data"],
      [next, next === "GET" ? "" : "data"],
    ]);
  });

  it("sends no body to another origin", async () => {
    await using world = await startWorld((_request, response) => {
      response.writeHead(307, { location: `${world.b}/end` }).end();
    });
    await expect(world.outbound.fetch(world.a, { method: "POST", body: "client_secret=s" })).rejects.toMatchObject({
      reason: "OUTBOUND_REDIRECT_REFUSED",
    });
    expect(world.received).toHaveLength(1);
  });

  it("ends an answer at its limit of bytes, counted after decompression", async () => {
    await using world = await startWorld(
      (request, response) => {
        if (request.url === "/gzip")
          response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(100_000)));
        else response.end(Buffer.alloc(1000));
      },
      { maxBytes: 1000 },
    );
    expect(await (await world.outbound.fetch(world.a)).bytes()).toHaveLength(1000);
    const bomb = await world.outbound.fetch(`${world.a}/gzip`);
    await expect(bomb.text()).rejects.toMatchObject({ reason: "OUTBOUND_RESPONSE_TOO_LARGE" });
  });

  it.each(["headers", "body"])("ends at its time limit while it waits for the %s", async (part) => {
    await using world = await startWorld(
      (_request, response) => {
        if (part === "body") response.write("a");
      },
      { timeoutMs: 50 },
    );
    const read = async () => (await world.outbound.fetch(world.a)).text();
    await expect(read()).rejects.toMatchObject({ reason: "OUTBOUND_TIMED_OUT" });
  });

  it("limits one request by its own time, longer or shorter than that of all", async () => {
    const ends: (() => void)[] = [];
    await using world = await startWorld((_request, response) => void ends.push(() => response.end("late")), {
      timeoutMs: 50,
    });
    const slow = world.outbound.fetch(`${world.a}/slow`, { timeoutMs: 60_000 });
    for (const [limit, timeoutMs] of [
      [50, {}],
      [40, { timeoutMs: 40 }],
    ] as const) {
      const never = world.outbound.fetch(`${world.a}/never`, timeoutMs);
      const message = `The address did not answer within ${limit} ms.`;
      await expect(never).rejects.toMatchObject({ reason: "OUTBOUND_TIMED_OUT", message });
    }
    // The time limit of all requests has also passed for the first one.
    ends[0]?.();
    expect(await (await slow).text()).toBe("late");
  });

  it("does not end an event stream that the caller expects, until the caller aborts it", async () => {
    const sends: (() => void)[] = [];
    await using world = await startWorld(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" }).write("data: 1\n\n");
        sends.push(() => response.write(`data: ${"x".repeat(100)}\n\n`));
      },
      { timeoutMs: 500, maxBytes: 20 },
    );
    const caller = new AbortController();
    const { signal } = caller;
    const response = await world.outbound.fetch(world.a, { signal, acceptsEventStream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    // A later request with the limit has timed out, so the limit has also passed for the first one.
    const limited = await world.outbound.fetch(world.a);
    await expect(limited.text()).rejects.toMatchObject({ reason: "OUTBOUND_TIMED_OUT" });
    sends[0]?.();
    expect((await reader?.read())?.value).toHaveLength(108);
    caller.abort(new Error("left"));
    await expect(reader?.read()).rejects.toThrow("left");
  });

  it("throws the caller's own reason at its abort, and OUTBOUND_FAILED for a lost connection", async () => {
    await using world = await startWorld((request) => void request.socket.destroy());
    await expect(world.outbound.fetch(world.a)).rejects.toMatchObject({ reason: "OUTBOUND_FAILED" });
    await expect(world.outbound.fetch(world.a, { signal: AbortSignal.abort(new Error("mine")) })).rejects.toThrow(
      "mine",
    );
  });

  it("reports an unknown name as OUTBOUND_FAILED", async () => {
    await using world = await startWorld((_request, response) => void response.end(), {
      lookup: async () => {
        throw new Error("ENOTFOUND");
      },
    });
    await expect(world.outbound.fetch("https://nowhere.example/")).rejects.toMatchObject({ reason: "OUTBOUND_FAILED" });
  });
});
