import {
  addUpdate,
  type Conversation,
  conversationOf,
  createClient,
  EMPTY_CONVERSATION,
  type Event,
  type RunUpdate,
  type SessionData,
  textOf,
} from "fairlead/client";
import { describe, expect, it } from "vitest";
import { InterceptingProxy } from "#test/helpers/faults/intercepting-proxy.ts";
import { pausedAnswer, TELLER_AGENTS } from "#test/helpers/servers/paused-answer.ts";
import { RestartableServer } from "#test/helpers/servers/restartable-server.ts";
import { verifies } from "#test/helpers/verifies.ts";

const RETRY = { baseDelayMs: 20, maxDelayMs: 500, maxAttempts: 60 };
/** 60 chunks in about two seconds. */
const TALE = "n=60 d=30 s=2";
/** Is cancelled before its end. */
const LONG = "n=10000 d=30 s=2";
const WHOLE = "xx".repeat(60);

async function startTalk(url: string, appName = "bench") {
  const client = createClient({ baseUrl: url, retry: RETRY });
  return { client, session: await client.sessions.create({ appName, userId: "ada" }) };
}

/** `~` marks chunks. */
function brief(events: readonly Event[]): readonly string[] {
  return events.map((event) => `${textOf(event)}${event.partial === true ? "~" : ""}`);
}

const eventsOf = (updates: readonly RunUpdate[]): readonly Event[] =>
  updates.flatMap((update) => (update.kind === "event" ? [update.event] : []));
const kindsOf = (updates: readonly RunUpdate[]): readonly string[] =>
  updates.map(({ kind }) => kind).filter((kind) => kind !== "event");
const shown = (updates: readonly RunUpdate[]): Conversation => updates.reduce(addUpdate, EMPTY_CONVERSATION);
/** Without the user's messages, which streams of runs do not contain. */
const answersOf = ({ events }: SessionData): Conversation =>
  conversationOf(events.filter(({ author }) => author !== "user"));

describe("a stream of the client", () => {
  it("has all events once when the connection is cut again and again", async () => {
    verifies("platform:client:resume");
    await using server = await RestartableServer.start();
    const { client, session } = await startTalk(server.url);
    const stream = await client.stream({ session, newMessage: TALE });
    const updates: RunUpdate[] = [];
    for await (const update of stream.updates()) {
      updates.push(update);
      if (update.kind === "event" && updates.length % 10 === 0) server.link.reset();
    }
    expect(brief(eventsOf(updates))).toEqual([...Array<string>(60).fill("xx~"), WHOLE]);
    const reconnections = kindsOf(updates).filter((kind) => kind === "reconnecting");
    expect(reconnections.length).toBeGreaterThan(2);
    expect(kindsOf(updates)).toEqual([...reconnections, "end"]);
    expect(stream.status).toBe("succeeded");
    expect(shown(updates)).toEqual(answersOf(await client.sessions.get(session)));
  });

  it("shows what is stored after the server was killed and started again", async () => {
    verifies("platform:client:resume");
    const tale = pausedAnswer();
    await using server = await RestartableServer.start({ agentsDir: TELLER_AGENTS });
    const { client, session } = await startTalk(server.url, "teller");
    const stream = await client.stream({ session, newMessage: tale.text });
    const updates: RunUpdate[] = [];
    let restarted: Promise<void> | undefined;
    const restart = async (): Promise<void> => {
      await server.stop("SIGKILL");
      tale.tellAll();
      await server.startAgain();
    };
    for await (const update of stream.updates()) {
      updates.push(update);
      if (updates.length === 3) restarted = restart();
    }
    await restarted;
    expect(kindsOf(updates)).toContain("reset");
    const complete = eventsOf(updates).filter(({ partial }) => partial !== true);
    expect(brief(complete)).toEqual([tale.whole]);
    expect(shown(updates)).toEqual(answersOf(await client.sessions.get(session)));
  });

  it("is read to its end after a restart, although the server lost the run's stream", async () => {
    verifies("platform:client:resume");
    await using server = await RestartableServer.start();
    const { client, session } = await startTalk(server.url);
    const stream = await client.stream({ session, newMessage: "n=5 d=1 s=2" });
    const first: string[] = [];
    for await (const event of stream) {
      first.push(textOf(event));
      if (event.partial !== true) break;
    }
    await expect.poll(async () => (await client.runs.get(stream.runId)).status).toBe("succeeded");
    await server.stop("SIGTERM");
    await server.startAgain();
    const rest = await Array.fromAsync(stream);
    expect(first).toEqual([...Array<string>(5).fill("xx"), "xx".repeat(5)]);
    expect(rest).toEqual([]);
    expect(stream.status).toBe("succeeded");
  });

  it("continues where a loop was left, also in another client", async () => {
    verifies("platform:client:resume");
    await using server = await RestartableServer.start();
    const { client, session } = await startTalk(server.url);
    const stream = await client.stream({ session, newMessage: "n=9 d=20 s=2" });
    const heard: Event[] = [];
    for await (const event of stream) if (heard.push(event) === 3) break;
    for await (const event of stream) if (heard.push(event) === 6) break;
    const other = createClient({ baseUrl: server.url }).runs.stream(stream.runId, { after: stream.position });
    for await (const event of other) heard.push(event);
    expect(brief(heard)).toEqual([...Array<string>(9).fill("xx~"), "xx".repeat(9)]);
  });

  it("is refused to a second loop while the first one reads it", async () => {
    await using server = await RestartableServer.start();
    const { client, session } = await startTalk(server.url);
    const stream = await client.stream({ session, newMessage: "n=2 d=1 s=1" });
    for await (const _ of stream) {
      await expect(Array.fromAsync(stream)).rejects.toThrow("Another loop reads this stream.");
      break;
    }
  });

  it("ends with its signal, and its run continues", async () => {
    verifies("platform:client:abort");
    await using server = await RestartableServer.start({ environment: { MAX_STREAMS_PER_USER: "1" } });
    const { session } = await startTalk(server.url);
    const client = createClient({ baseUrl: server.url, retry: { maxAttempts: 1 } });
    const controller = new AbortController();
    const stream = await client.stream({ session, newMessage: LONG }, { signal: controller.signal });
    const readOne = async (): Promise<string> => {
      for await (const event of client.runs.stream(stream.runId)) return textOf(event);
      return "nothing";
    };
    const read = async (): Promise<void> => {
      for await (const _ of stream) {
        await expect(readOne()).rejects.toMatchObject({ reason: "TOO_MANY_STREAMS" });
        controller.abort(new Error("left"));
      }
    };
    await expect(read()).rejects.toThrow("left");
    // The server has a place for the next stream when the connection is closed.
    await expect.poll(() => readOne().catch(({ reason }) => reason)).toBe("xx");
    expect((await client.runs.get(stream.runId)).status).toBe("running");
    await client.runs.cancel(stream.runId, { wait: true });
  });

  it("reports a cancelled run as an error, after its end", async () => {
    verifies("platform:client:errors");
    await using server = await RestartableServer.start();
    const { client, session } = await startTalk(server.url);
    const stream = await client.stream({ session, newMessage: LONG });
    const kinds: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { kind } of stream.updates()) {
        if (kinds.length === 0) await client.runs.cancel(stream.runId);
        kinds.push(kind);
      }
    };
    await expect(read()).rejects.toMatchObject({ reason: "RUN_CANCELLED", code: "CANCELLED", retryable: false });
    expect(kinds.at(-1)).toBe("end");
    expect(stream.status).toBe("cancelled");
  });

  it("gives up after the attempts that its client allows", async () => {
    verifies("platform:client:errors");
    await using server = await RestartableServer.start();
    const { session } = await startTalk(server.url);
    const client = createClient({ baseUrl: server.url, retry: { ...RETRY, maxAttempts: 3 } });
    const stream = await client.stream({ session, newMessage: LONG });
    const updates: RunUpdate[] = [];
    const read = async (): Promise<void> => {
      for await (const update of stream.updates()) {
        updates.push(update);
        if (updates.length > 1) continue;
        await server.stop("SIGKILL");
      }
    };
    await expect(read()).rejects.toMatchObject({ reason: "CONNECTION_LOST", code: "UNAVAILABLE", retryable: true });
    expect(kindsOf(updates)).toEqual(["reconnecting", "reconnecting"]);
  });

  it("counts a connection as lost that is silent, and opens another", async () => {
    verifies("platform:client:resume");
    const tale = pausedAnswer();
    const environment = { SSE_HEARTBEAT_MS: "1000" };
    await using server = await RestartableServer.start({ agentsDir: TELLER_AGENTS, environment });
    const { session } = await startTalk(server.url, "teller");
    const client = createClient({ baseUrl: server.url, retry: RETRY, silenceMs: 4000 });
    const stream = await client.stream({ session, newMessage: tale.text });
    const updates: RunUpdate[] = [];
    for await (const update of stream.updates()) {
      updates.push(update);
      // Keeps the connection open and passes nothing on.
      if (updates.length === 3) server.link.set({ kind: "drop" });
      if (update.kind === "reconnecting") {
        expect(update.error).toMatchObject({ reason: "ANSWER_TIMED_OUT" });
        server.link.reset();
        server.link.heal();
        tale.tellAll();
      }
    }
    expect(kindsOf(updates)).toEqual(["reconnecting", "end"]);
    expect(brief(eventsOf(updates))).toEqual([...tale.chunks.map((chunk) => `${chunk}~`), tale.whole]);
  });

  it("is one of a hundred, each with its own answer", async () => {
    await using server = await RestartableServer.start();
    const client = createClient({ baseUrl: server.url, retry: RETRY });
    const talk = async (index: number): Promise<number> => {
      const session = await client.sessions.create({ appName: "bench", userId: `user-${index}` });
      const stream = await client.stream({ session, newMessage: `n=${index + 1} d=5 s=1` });
      let text = "";
      for await (const event of stream) if (event.partial === true) text += textOf(event);
      return text.length;
    };
    const lengths = await Promise.all(Array.from({ length: 100 }, (_, index) => talk(index)));
    expect(lengths).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });
});

describe("a start whose answer is lost", () => {
  it("is one run", async () => {
    verifies("platform:client:starts-once");
    await using server = await RestartableServer.start();
    const { client: direct, session } = await startTalk(server.url);
    let losses = 2;
    await using proxy = await InterceptingProxy.start(server.url, ({ method, path }) => {
      const isStart = method === "POST" && path === "/v1/runs";
      return isStart && losses-- > 0 ? "lose-answer" : "forward";
    });
    const client = createClient({ baseUrl: proxy.url, retry: RETRY });
    const { text, status } = await client.run({ session, newMessage: "small=1" });
    expect([text, status]).toEqual(["ok", "succeeded"]);
    expect(proxy.seen.filter(({ method, path }) => method === "POST" && path === "/v1/runs")).toHaveLength(3);
    expect((await direct.runs.list({ session })).runs).toHaveLength(1);
    expect((await direct.sessions.get(session)).events.map(({ author }) => author)).toEqual(["user", "bench"]);
  });

  it("is not repeated without an allowed attempt", async () => {
    await using server = await RestartableServer.start();
    const { session } = await startTalk(server.url);
    await using proxy = await InterceptingProxy.start(server.url, () => "lose-answer");
    const client = createClient({ baseUrl: proxy.url, retry: { maxAttempts: 1 } });
    await expect(client.run({ session, newMessage: "small=1" })).rejects.toMatchObject({ reason: "CONNECTION_LOST" });
    expect(proxy.seen).toHaveLength(1);
  });
});
