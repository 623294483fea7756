import type { ServerResponse } from "node:http";
import { createClient, type FairleadError } from "fairlead/client";
import { describe, expect, it } from "vitest";
import { answerSse, startWireServer, type WireAnswer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";

const SESSION = { appName: "a", userId: "u", id: "s" };
const CHUNK = 'data: {"id":"e","author":"x","invocationId":"i","actions":{},"partial":true}\n\n';
const LIMIT = 1024 * 1024;
const RETRY = { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 2 };

function clientOf(url: string, limitMs = 20_000) {
  return createClient({ baseUrl: url, retry: RETRY, maxAnswerBytes: LIMIT, timeoutMs: limitMs, silenceMs: limitMs });
}

async function reasonOf(call: Promise<unknown>): Promise<string> {
  // Every failure of the client is one.
  return call.then(
    () => "none",
    (error: FairleadError) => error.reason,
  );
}

const json = (body: string, status = 200): WireAnswer => {
  return (response) => response.writeHead(status, { "content-type": "application/json" }).end(body);
};
const sse = (body: string): WireAnswer => {
  return (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
};

/** Writes until the client leaves, and returns how many bytes it wrote. */
function endless(response: ServerResponse, head: string, chunk: string): { bytes: number } {
  const written = { bytes: 0 };
  response.write(head);
  const write = (): void => {
    while (!response.destroyed && response.write(chunk)) written.bytes += chunk.length;
    if (!response.destroyed) response.once("drain", write);
  };
  write();
  return written;
}

describe("a client of a hostile server", () => {
  it.each([
    ["no JSON", "<html>"],
    ["null", "null"],
    ["a list", "[]"],
    ["a text", '"x"'],
    ["no members", "{}"],
    ["wrong types", '{"id": 1, "appName": [], "userId": {}, "state": "x", "events": {}}'],
    ["events that are none", '{"id":"s","appName":"a","userId":"u","state":{},"events":[7]}'],
    [
      "parts that are none",
      '{"id":"s","appName":"a","userId":"u","state":{},"events":[{"id":"e","author":"x","invocationId":"i","actions":{},"content":{"parts":[null]}}]}',
    ],
    [
      "a text that is none",
      '{"id":"s","appName":"a","userId":"u","state":{},"events":[{"id":"e","author":"x","invocationId":"i","actions":{},"content":{"parts":[{"text":{}}]}}]}',
    ],
    ["nothing", ""],
  ])("refuses an answer with %s", async (_, body) => {
    verifies("platform:client:errors");
    await using server = await startWireServer(json(body));
    const client = clientOf(server.url);
    expect(await reasonOf(client.sessions.get(SESSION))).toBe("UNEXPECTED_ANSWER");
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["no JSON", "data: x\n\n"],
    ["a number", "data: 1\n\n"],
    ["null", "data: null\n\n"],
    ["no event", "data: {}\n\n"],
    ["wrong types", 'data: {"id": {}, "author": 1}\n\n'],
    ["an unknown end", 'event: end\ndata: {"status": "dancing"}\n\n'],
    ["an end without a status", "event: end\ndata: []\n\n"],
  ])("refuses a stream with %s", async (_, body) => {
    verifies("platform:client:errors");
    await using server = await startWireServer(sse(body));
    const stream = clientOf(server.url).runs.stream("r");
    expect(await reasonOf(Array.fromAsync(stream))).toBe("UNEXPECTED_ANSWER");
  });

  it.each([
    ["nothing at all", ""],
    ["half an event", "data: {"],
    ["bytes that are not text", "\0\0\0\0"],
    ["a comment", ": ok\n\n"],
    ["a frame that is not an event", "event: resync\ndata: {}\n\n"],
    ["the same event at each attempt", 'data: {"id":"e","author":"x","invocationId":"i","actions":{}}\n\n'],
    ["an error that passes", 'data: {"error": "x", "error_details": {"code": "UNAVAILABLE", "error_type": "X"}}\n\n'],
  ])("gives a stream up that ends after %s", async (_, body) => {
    verifies("platform:client:errors");
    await using server = await startWireServer(sse(body));
    const stream = clientOf(server.url).runs.stream("r");
    await expect(Array.fromAsync(stream)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(server.requests.length).toBeLessThan(RETRY.maxAttempts + 2);
  });

  it("refuses a page where a stream should be", async () => {
    await using server = await startWireServer(json('{"id": "x"}'));
    expect(await reasonOf(Array.fromAsync(clientOf(server.url).runs.stream("r")))).toBe("UNEXPECTED_ANSWER");
  });

  it.each([
    ["an endless line", "data: ", "x".repeat(1000)],
    ["endless lines of one event", "", "data: x\n".repeat(100)],
    ["endless empty lines of data", "", "data\n".repeat(200)],
    ["an endless comment", ":", "x".repeat(1000)],
  ])("reads no more than its limit of %s", async (_, head, chunk) => {
    verifies("platform:client:bounded");
    const written: { bytes: number }[] = [];
    await using server = await startWireServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      written.push(endless(response, head, chunk));
    });
    expect(await reasonOf(Array.fromAsync(clientOf(server.url).runs.stream("r")))).toBe("ANSWER_TOO_LARGE");
    await server.clientGone;
    // Besides what was read, the buffers of the system.
    expect(written.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(LIMIT * 16);
  });

  it("reads no more than its limit of an endless answer, of either status", async () => {
    verifies("platform:client:bounded");
    for (const [status, reason] of [
      [200, "ANSWER_TOO_LARGE"],
      [404, "UNEXPECTED_ANSWER"],
    ] as const) {
      await using server = await startWireServer((response) => {
        response.writeHead(status, { "content-type": "application/json" });
        endless(response, '["', "x".repeat(1000));
      });
      expect(await reasonOf(clientOf(server.url).apps.list())).toBe(reason);
      await server.clientGone;
    }
  });

  it("waits no longer than its limit for an answer that stops", async () => {
    verifies("platform:client:errors");
    await using server = await startWireServer((response) => response.writeHead(200).write("["));
    expect(await reasonOf(clientOf(server.url, 500).apps.list())).toBe("ANSWER_TIMED_OUT");
    expect(server.requests).toHaveLength(RETRY.maxAttempts);
  });

  it("repeats what a proxy refuses for a while, and not what it refuses for good", async () => {
    await using server = await startWireServer(json("busy", 503), json("busy", 429), json('["x"]'));
    expect(await clientOf(server.url).apps.list()).toEqual(["x"]);
    // An Ingress without a server behind it; the server's own 404 has a reason.
    await using away = await startWireServer(json("404 page not found", 404), json('["x"]'));
    expect(await clientOf(away.url).apps.list()).toEqual(["x"]);
    await using refusing = await startWireServer(json("no", 403));
    await expect(clientOf(refusing.url).apps.list()).rejects.toMatchObject({ code: "PERMISSION_DENIED", status: 403 });
    expect(refusing.requests).toHaveLength(1);
  });

  it("sends a change of state once", async () => {
    verifies("platform:client:starts-once");
    await using server = await startWireServer(json("busy", 503));
    expect(await reasonOf(clientOf(server.url).sessions.patchState(SESSION, { a: 1 }))).toBe("UNEXPECTED_ANSWER");
    expect(server.requests).toHaveLength(1);
  });

  it("ends a request that is aborted, with the signal's reason", async () => {
    verifies("platform:client:abort");
    await using server = await startWireServer(() => {});
    const controller = new AbortController();
    const call = createClient({ baseUrl: server.url }).apps.list({ signal: controller.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort(new Error("left"));
    await expect(call).rejects.toThrow("left");
    await server.clientGone;
    await expect(clientOf(server.url).apps.list({ signal: AbortSignal.abort(new Error("gone")) })).rejects.toThrow(
      "gone",
    );
    expect(server.requests).toHaveLength(1);
  });

  it("closes the connection of a stream whose loop is left", async () => {
    verifies("platform:client:abort");
    await using server = await startWireServer(answerSse(CHUNK, { open: true }));
    for await (const event of clientOf(server.url).runs.stream("r")) {
      expect(event.id).toBe("e");
      break;
    }
    await server.clientGone;
  });

  it.each(["attempt", "resync"])("reports that chunks are void after the frame %s", async (name) => {
    verifies("platform:client:resume");
    const end = 'event: end\ndata: {"status":"succeeded"}\n\n';
    await using server = await startWireServer(answerSse(`${CHUNK}event: ${name}\ndata: {}\n\n${end}`));
    const updates = await Array.fromAsync(clientOf(server.url).runs.stream("r").updates());
    expect(updates.map(({ kind }) => kind)).toEqual(["event", "reset", "end"]);
  });

  it("keeps reading a run that is silent for longer than its attempts last, as long as heartbeats come", async () => {
    verifies("platform:client:resume");
    const beating: WireAnswer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": hb\n");
      setTimeout(() => response.write(": hb\n"), 20);
      setTimeout(() => response.destroy(), 40);
    };
    const end = 'event: end\ndata: {"status":"succeeded"}\n\n';
    await using server = await startWireServer(beating, beating, beating, beating, beating, answerSse(end));
    const updates = await Array.fromAsync(clientOf(server.url).runs.stream("r").updates());
    expect(updates.map(({ kind }) => kind)).toEqual([...Array<string>(5).fill("reconnecting"), "end"]);
  });

  it("asks for headers before each attempt", async () => {
    await using server = await startWireServer(json("busy", 503), json("[]"));
    let tokens = 0;
    const headers = async () => ({ authorization: `Bearer ${++tokens}` });
    await createClient({ baseUrl: `${server.url}/prefix/`, headers, retry: RETRY }).apps.list();
    expect(server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/prefix/list-apps", "Bearer 1"],
      ["/prefix/list-apps", "Bearer 2"],
    ]);
  });
});
