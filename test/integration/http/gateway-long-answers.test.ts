import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import type { ListEventsRequest } from "#kit/sessions/session-service.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, type GatewayWorldOptions, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const SESSION = "/apps/echo/users/u/sessions/s";
const CUT_OFF = "warn answer cut off: its reader took nothing for too long";

function said(index: number, characters: number): Event {
  return createEvent({
    id: `e-${index}`,
    invocationId: "i",
    author: "user",
    timestamp: 1_787_140_000_000 + index * 1000,
    // Two code units each, so that a cut between them would show.
    content: userContent("🎲".repeat(characters / 2)),
    actions: createEventActions(),
  });
}

/** A gateway with a session of so many megabytes, in events of 128 Ki characters. */
async function startWithLongSession(megabytes: number, options: GatewayWorldOptions = {}): Promise<GatewayWorld> {
  const world = await startGateway(options);
  const events = Array.from({ length: megabytes * 8 }, (_, index) => said(index, 128 * 1024));
  await world.store.createSession({ ...KEY, events });
  return world;
}

/** Sends a request and does not read its answer. */
async function stalledGet(world: GatewayWorld, path: string): Promise<Socket> {
  const address = world.gateway.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const socket = connect({ port, host: "127.0.0.1" }).pause();
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  return socket;
}

function saveFile(world: GatewayWorld, megabytes: number): Promise<unknown> {
  const data = Buffer.alloc(megabytes * 1024 * 1024).toString("base64");
  const artifact = { inlineData: { mimeType: "application/octet-stream", data } };
  return world.artifacts.saveArtifact({ session: KEY, filename: "file", artifact });
}

describe("a long session", () => {
  it("is answered whole, whatever its length", async () => {
    await using world = await startWithLongSession(4);
    const url = await world.listen();
    const answer = await fetch(url + SESSION);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const stored = await world.store.getSession(KEY);
    const { events, ...rest } = (await answer.json()) as { readonly events: readonly Event[] };
    expect(events).toEqual(JSON.parse(JSON.stringify(stored?.events)));
    expect(rest).toEqual({ ...KEY, state: {}, lastUpdateTime: 1_787_140_031 });
    expect((await fetch(url + SESSION, { method: "HEAD" })).status).toBe(200);
  });

  it("is neither read nor kept as a whole for a reader that stalls, which is cut off", async () => {
    verifies("limits:slow-reader");
    let read = 0;
    const sockets: Socket[] = [];
    await using world = await startWithLongSession(32, { config: { SSE_STALL_MS: 200 } });
    const { store } = world;
    const listEventRecords = store.listEventRecords.bind(store);
    store.listEventRecords = async (request: ListEventsRequest) => {
      const page = await listEventRecords(request);
      for (const { json } of page.events) read += json.length;
      return page;
    };
    world.gateway.server.on("connection", (socket) => sockets.push(socket));
    await world.listen();
    const client = await stalledGet(world, SESSION);
    await expect.poll(() => world.logs).toEqual([CUT_OFF]);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
    // Bytes in the system's buffers, and three chunks.
    expect(read).toBeLessThan(12 * 1024 * 1024);
    client.destroy();
  });

  it("breaks off where the store fails in the middle, so that no client takes it for whole", async () => {
    await using world = await startWithLongSession(8);
    const { store } = world;
    const listEventRecords = store.listEventRecords.bind(store);
    let calls = 0;
    store.listEventRecords = async (request: ListEventsRequest) => {
      calls += 1;
      if (calls === 4) throw new Error("the store is lost");
      return listEventRecords(request);
    };
    const answer = await fetch((await world.listen()) + SESSION);
    await expect(answer.text()).rejects.toThrow();
    expect(world.logs).toEqual(["error answer broken off"]);
  });
});

describe("part of a session", () => {
  it.each([
    ["", "0,1,2,3"],
    ["?numRecentEvents=2", "2,3"],
    ["?num_recent_events=2", "2,3"],
    ["?numRecentEvents=0", ""],
    ["?numRecentEvents=99", "0,1,2,3"],
    ["?afterTimestamp=1787140001.5", "2,3"],
    ["?after_timestamp=1787140002", "2,3"],
    ["?afterTimestamp=1787140002000", "2,3"],
    ["?afterTimestamp=1787150000", ""],
    ["?numRecentEvents=3&afterTimestamp=1787140003", "3"],
    ["?num_recent_events=1&after_timestamp=1787140000", "3"],
  ])("asked for by %s has the events %s and all of the state", async (query, ids) => {
    verifies("endpoints-http:get-session:part");
    await using world = await startGateway();
    await world.store.createSession({ ...KEY, state: { a: 1 }, events: [0, 1, 2, 3].map((index) => said(index, 10)) });
    const answer = (await world.gateway.inject(SESSION + query)).json<{ events: readonly Event[]; state: object }>();
    expect([answer.events.map(({ id }) => id.slice(2)).join(), answer.state]).toEqual([ids, { a: 1 }]);
  });

  it("costs the store no more than what was asked for", async () => {
    await using world = await startWithLongSession(4);
    const { store } = world;
    const listEventRecords = store.listEventRecords.bind(store);
    const read: string[] = [];
    store.listEventRecords = async (request: ListEventsRequest) => {
      const page = await listEventRecords(request);
      read.push(...page.events.map(({ id }) => id));
      return page;
    };
    await world.gateway.inject(`${SESSION}?numRecentEvents=2`);
    await world.gateway.inject(`${SESSION}?afterTimestamp=1787140030`);
    expect(read).toEqual(["e-30", "e-31", "e-30", "e-31"]);
  });

  it.each(["numRecentEvents=-1", "num_recent_events=x", "numRecentEvents=1.5", "afterTimestamp=yesterday"])(
    "is refused for %s, which is named",
    async (query) => {
      await using world = await startGateway();
      const refused = await world.gateway.inject(`${SESSION}?${query}`);
      expect([refused.statusCode, refused.json()]).toMatchObject([
        422,
        { detail: [{ loc: ["query", query.split("=")[0]] }] },
      ]);
    },
  );
});

describe("a file", () => {
  const FILE = `${SESSION}/artifacts/file`;

  it("is not kept for a reader that stalls, which is cut off", async () => {
    verifies("limits:slow-reader");
    await using world = await startGateway({ config: { SSE_STALL_MS: 400 } });
    await saveFile(world, 24);
    let read = 0;
    const { artifacts } = world;
    const readArtifact = artifacts.readArtifact.bind(artifacts);
    artifacts.readArtifact = async (request) => {
      read += request.bytes;
      return readArtifact(request);
    };
    await world.listen();
    const client = await stalledGet(world, FILE);
    await expect.poll(() => world.logs).toEqual([CUT_OFF]);
    // Bytes in the system's buffers.
    expect(read).toBeLessThan(12 * 1024 * 1024);
    client.destroy();
  });

  it.each([
    ["data", { inlineData: { mimeType: "a/b", data: Buffer.alloc(1_000_001, "fairlead").toString("base64") } }],
    ["text", { text: `\ufeff"${"🎲é\u0000\n".repeat(100_000)}` }],
    ["short data", { inlineData: { data: "aGk=", displayName: "n" } }],
    ["empty data", { inlineData: { data: "" } }],
    ["a reference", { fileData: { fileUri: "gs://bucket/name" } }],
  ])("is answered as the store returns it: %s", async (_title, artifact) => {
    await using world = await startGateway();
    await world.artifacts.saveArtifact({ session: KEY, filename: "file", artifact });
    const url = await world.listen();
    const answer = await fetch(url + FILE);
    expect(await answer.text()).toBe(
      JSON.stringify(await world.artifacts.loadArtifact({ session: KEY, filename: "file" })),
    );
    expect((await fetch(url + FILE, { method: "HEAD" })).status).toBe(200);
  });

  it("waits for its turn while others are read, and is then refused with the limit that is in the way", async () => {
    const config = { MAX_ANSWER_BYTES: 1_000_000, MAX_ANSWER_BYTES_PER_USER: 700_000 };
    await using world = await startGateway({ config });
    await saveFile(world, 1);
    const { artifacts } = world;
    await artifacts.saveArtifact({ session: { ...KEY, userId: "v" }, filename: "file", artifact: { text: "v" } });
    const url = await world.listen();
    const gate = Promise.withResolvers<void>();
    const readArtifact = artifacts.readArtifact.bind(artifacts);
    artifacts.readArtifact = async (request) => {
      await gate.promise;
      return readArtifact(request);
    };
    const first = fetch(url + FILE).then((answer) => answer.text());
    await expect.poll(() => world.gateway.server.listening).toBe(true);
    const refused = await Promise.all([FILE, FILE.replace("/u/", "/v/")].map((path) => fetch(url + path)));
    const shown = refused.map(async (answer) => [answer.headers.get("retry-after"), await answer.json()]);
    expect(await Promise.all(shown)).toMatchObject([
      ["2", { status: 429, reason: "USER_ANSWERS_TOO_LARGE", details: { limit: "MAX_ANSWER_BYTES_PER_USER" } }],
      ["2", { status: 503, reason: "ANSWERS_TOO_LARGE", details: { limit: "MAX_ANSWER_BYTES" } }],
    ]);
    gate.resolve();
    expect((await first).length).toBeGreaterThan(1024 * 1024);
    expect((await fetch(url + FILE)).status).toBe(200);
  });

  it("gets the room of readers that have stalled longest", async () => {
    const config = { MAX_ANSWER_BYTES: 300_000, MAX_ANSWER_BYTES_PER_USER: 0 };
    await using world = await startGateway({ config });
    await saveFile(world, 24);
    const url = await world.listen();
    const client = await stalledGet(world, FILE);
    const answer = await fetch(url + FILE);
    expect((await answer.text()).length).toBeGreaterThan(24 * 1024 * 1024);
    expect(world.logs).toEqual([CUT_OFF]);
    client.destroy();
  });
});

describe("a session with files", () => {
  it("is answered as a client has sent it, whole, live and replayed", async () => {
    await using world = await startGateway();
    const url = await world.listen();
    const data = Buffer.alloc(400_000, "fairlead").toString("base64");
    const parts = [{ text: "look" }, { inlineData: { mimeType: "image/png", data, displayName: "é" } }, { text: "!" }];
    const event = { author: "user", content: { role: "user", parts } };
    const created = await fetch(`${url}${SESSION}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        state: {},
        events: [event, { author: "user", content: { parts: [{ text: "small" }] } }, event],
      }),
    });
    const expected = (await created.json()) as { readonly events: readonly Event[] };
    expect(expected.events.map(({ content }) => content?.parts?.length)).toEqual([3, 1, 3]);
    expect(await (await fetch(url + SESSION)).json()).toEqual(expected);
    const stream = await fetch(`${url}/v1${SESSION}/stream?after=0`);
    const shown: unknown[] = [];
    let text = "";
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) shown.push(JSON.parse(frame.replace(/^data: /, "").replace(/\nid: \d+$/, "")));
      if (shown.length === 3) break;
    }
    expect(shown).toEqual(expected.events);
  });
});
