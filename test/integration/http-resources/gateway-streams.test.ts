import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { readEventSource } from "#test/helpers/clients/event-source.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const RUN = { appName: "echo", userId: "u", sessionId: "s", newMessage: { role: "user", parts: [{ text: "hi" }] } };
const KEY = { appName: "echo", userId: "u", id: "s" };

async function post(world: GatewayWorld, path: string, body: object = RUN, signal?: AbortSignal): Promise<Response> {
  await world.store.createSession(KEY);
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  const init = { method: "POST", headers, body: JSON.stringify(body), ...(signal && { signal }) };
  return fetch(`${await world.listen()}${path}`, init);
}

const framesOf = (text: string): string[] => text.split("\n\n").filter((frame) => frame !== "");
const dataOf = (frame: string): unknown => JSON.parse(/^data: (.*)/.exec(frame)?.[1] ?? "null");

/** A promise and the function that resolves it. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, opened: promise };
}

describe("POST /run_sse", () => {
  it.each(["/run_sse", "/run-sse"])("streams chunks and whole events at %s, one block of data each", async (path) => {
    verifies(
      "wire:paths:spellings",
      "wire:sse:framing",
      "wire:sse:event-name",
      "endpoints-http:run-sse",
      "events:run-sse",
      "what-the-service-does:run-streamed",
      "wire:sse:headers",
      "wire:sse:partial-events",
    );
    await using world = await startGateway({
      script: async (run) => {
        await run.partial("wö");
        await run.partial("rld 🌍");
        await run.say("wörld 🌍");
      },
    });
    const response = await post(world, path, { ...RUN, streaming: true });
    const { runId } = (await world.store.list({ session: KEY })).runs[0] ?? {};
    expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
      200,
      {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store, no-transform",
        "x-accel-buffering": "no",
        "x-run-id": runId,
      },
    ]);
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(
      framesOf(await response.text()).map((frame) => JSON.parse(frame.slice("data: ".length)) as unknown),
    ).toMatchObject([
      { partial: true, author: "agent", content: { parts: [{ text: "wö" }] } },
      { partial: true, content: { parts: [{ text: "rld 🌍" }] } },
      { content: { parts: [{ text: "wörld 🌍" }] } },
    ]);
  });

  it.each(["", "?event_ids=false"])(
    "has data for each empty line, which some clients parse a block for: %s",
    async (query) => {
      verifies("wire:sse:framing", "wire:sse:heartbeat");
      const silence = gate();
      await using world = await startGateway({
        config: { SSE_HEARTBEAT_MS: 10 },
        script: async (run) => {
          await run.partial("wö");
          await silence.opened;
          await run.say("wörld");
        },
      });
      const response = await post(world, `/run_sse${query}`, { ...RUN, streaming: true });
      let text = "";
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        if (text.endsWith("data:  ")) silence.open();
      }
      const parsed: unknown[] = [];
      let data = "";
      for (const line of text.split("\n").slice(0, -1)) {
        if (line === "") parsed.push(JSON.parse(data));
        if (line === "") data = "";
        if (line.startsWith("data: ")) data += line.slice(6);
      }
      expect(parsed).toMatchObject([{ partial: true }, { author: "agent" }]);
    },
  );

  it("has the position of each event in its block if the client asks for it, and can be resumed from wherever its connection is cut", async () => {
    verifies("wire:sse:resume");
    await using world = await startGateway({
      script: async (run) => {
        await run.partial("one ");
        await run.partial("two");
        await run.say("one two");
      },
    });
    const response = await post(world, "/run_sse?event_ids=true", { ...RUN, streaming: true });
    const whole = await response.text();
    expect(framesOf(whole).map((frame) => frame.split("\n")[1])).toEqual(["id: 1.1", "id: 1.2", "id: 1.3"]);
    const url = new URL(`/v1/runs/${response.headers.get("x-run-id")}/stream`, response.url);
    const idsOf = (data: readonly string[]) => data.map((json) => (JSON.parse(json) as { id?: string }).id);
    const all = idsOf(readEventSource(whole).data);
    expect(all).toHaveLength(3);
    for (let cut = 0; cut <= whole.length; cut += 7) {
      const { data, lastEventId } = readEventSource(whole.slice(0, cut));
      const headers = lastEventId === "" ? {} : { "last-event-id": lastEventId };
      const rest = readEventSource(await (await fetch(url, { headers })).text());
      const resumed = idsOf(rest.data).filter((id) => id !== undefined);
      expect([...idsOf(data), ...resumed]).toEqual(all);
    }
  });

  it("ends a failed run with its stored error event and then one frame with the error", async () => {
    verifies("wire:sse:error-frame");
    const message = 'model "exploded"\nline two';
    await using world = await startGateway({
      script: async (run) => {
        await run.say({ errorCode: "MODEL_UNAVAILABLE", errorMessage: message });
        return { status: "failed", error: { code: "UNAVAILABLE", reason: "MODEL_UNAVAILABLE", message } };
      },
    });
    const frames = framesOf(await (await post(world, "/run_sse")).text()).filter((frame) => frame.startsWith("data: "));
    expect(frames.map(dataOf)).toEqual([
      expect.objectContaining({ errorCode: "MODEL_UNAVAILABLE", errorMessage: message }),
      {
        error: message,
        error_details: {
          error_type: "MODEL_UNAVAILABLE",
          error_message: message,
          code: "UNAVAILABLE",
          timestamp: world.deps.clock.now() / 1000,
        },
      },
    ]);
  });

  it("says in the stream that the server failed, without saying how", async () => {
    await using world = await startGateway();
    world.deps.runStream.subscribe = () => {
      throw new TypeError("redis at 10.0.0.1 is down");
    };
    const text = await (await post(world, "/run_sse")).text();
    expect(framesOf(text).map(dataOf)).toMatchObject([{ error: "The server failed to handle this request." }]);
    expect(world.logs).toEqual(["error stream failed"]);
  });

  it.each(["/run_sse", "/run-sse"])("delivers an event before the next one happens: %s", async (path) => {
    verifies("what-the-service-does:run-streamed", "endpoints-http:run-sse");
    const more = gate();
    await using world = await startGateway({
      script: async (run) => {
        await run.say("first");
        await more.opened;
        await run.say("second");
      },
    });
    const response = await post(world, path);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("first")) text += (await reader?.read())?.value ?? "";
    expect(text).not.toContain("second");
    more.open();
    while (!text.includes("second")) text += (await reader?.read())?.value ?? "";
  });

  it("sends its head immediately and a heartbeat while nothing happens", async () => {
    verifies("wire:sse:heartbeat");
    await using usual = await startGateway();
    expect(usual.deps.config.SSE_HEARTBEAT_MS).toBe(15_000);
    const silence = gate();
    await using world = await startGateway({ config: { SSE_HEARTBEAT_MS: 10 }, script: () => silence.opened });
    const response = await post(world, "/run_sse");
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toBe("data: ");
    silence.open();
  });
});

describe("a client that leaves", () => {
  it.each([
    ["/run", 0],
    ["/run_sse", 0],
    ["/run?on_disconnect=cancel", 1],
    ["/run_sse?on_disconnect=cancel", 1],
  ])("at %s ends the stream's reading and cancels %i runs", async (path, cancelled) => {
    verifies("wire:run:client-leaves");
    const started = gate();
    const left = gate();
    await using world = await startGateway({
      script: async (run) => {
        await run.say("before");
        started.open();
        await left.opened;
        await run.say("after");
      },
    });
    const subscribed: AbortSignal[] = [];
    const subscribe = world.deps.runStream.subscribe.bind(world.deps.runStream);
    world.deps.runStream.subscribe = (runId, options) => {
      subscribed.push(options.signal);
      return subscribe(runId, options);
    };
    const client = new AbortController();
    const answer = post(world, path, RUN, client.signal).then((response) => response.text());
    await started.opened;
    client.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => subscribed.map(({ aborted }) => aborted)).toEqual([true]);
    expect(world.runner.cancelled).toHaveLength(cancelled);
    left.open();
    const authors = async () => (await world.store.listEventRecords(KEY)).events.map(({ author }) => author);
    await expect.poll(authors).toEqual(["user", "agent", "agent"]);
    expect(world.logs).toEqual([]);
  });

  it("is cancelled as well when the body asks for it", async () => {
    const started = gate();
    await using world = await startGateway({
      script: async () => {
        started.open();
        await new Promise(() => {});
      },
    });
    const client = new AbortController();
    const answer = post(world, "/run_sse", { ...RUN, on_disconnect: "cancel" }, client.signal).then((response) =>
      response.text(),
    );
    await started.opened;
    client.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => world.runner.cancelled).toHaveLength(1);
  });
});

describe("a run whose client leaves, when its request does not say", () => {
  it.each([
    ["as the app says, before the server", "cancel", "continue", 1],
    ["as the app says, before the server", "continue", "cancel", 0],
    ["as the server says for an app that does not", undefined, "cancel", 1],
    ["as the server says for an app that does not", undefined, "continue", 0],
  ] as const)("continues or ends %s", async (_name, app, server, cancelled) => {
    const started = gate();
    const described = gate();
    await using world = await startGateway({
      config: { ON_DISCONNECT: server },
      script: async () => {
        started.open();
        await new Promise(() => {});
      },
    });
    const describeApp = world.runner.describeApp.bind(world.runner);
    world.runner.describeApp = async (name) => {
      const info = await describeApp(name);
      // The first reader is the run itself.
      if (world.runner.started.length > 0) described.open();
      return app === undefined ? info : { ...info, onDisconnect: app };
    };
    const client = new AbortController();
    const answer = post(world, "/run_sse", RUN, client.signal).then((response) => response.text());
    await started.opened;
    client.abort();
    await expect(answer).rejects.toThrow();
    await described.opened;
    await new Promise((resolve) => setImmediate(resolve));
    expect(world.runner.cancelled).toHaveLength(cancelled);
  });
});

describe("a client that does not read", () => {
  it("holds up neither the run nor others, costs at most 16 MB of 100 and is cut off", async () => {
    verifies("limits:slow-reader");
    let mostPending = 0;
    let mostKept = 0;
    let finished = false;
    const runStream = new InMemoryRunStream({ clock: new FixedClock() });
    const sockets: Socket[] = [];
    await using world = await startGateway({
      config: { SSE_STALL_MS: 200 },
      deps: { runStream },
      script: async (run) => {
        for (let chunk = 0; chunk < 400; chunk++) {
          await run.partial("x".repeat(256 * 1024));
          // Lets the gateway write before the next one arrives.
          await new Promise((resolve) => setImmediate(resolve));
          mostPending = Math.max(mostPending, ...sockets.map(({ writableLength }) => writableLength));
          mostKept = Math.max(mostKept, runStream.bytes);
        }
        await run.say("done");
        finished = true;
      },
    });
    world.gateway.server.on("connection", (socket) => sockets.push(socket));
    await world.store.createSession(KEY);
    const { port } = new URL(await world.listen());
    const client = connect({ port: Number(port), host: "127.0.0.1" }).pause();
    await once(client, "connect");
    const body = JSON.stringify({ ...RUN, streaming: true });
    client.write(
      `POST /run_sse HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await expect.poll(() => world.logs).toEqual(["warn stream cut off: its reader took nothing for too long"]);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
    await expect.poll(() => finished).toBe(true);
    expect(mostPending).toBeGreaterThan(0);
    // Bytes that the socket has not accepted, that the log keeps, and that one read of the log may hold.
    expect(mostPending).toBeLessThan(1024 * 1024);
    expect(mostPending + mostKept + 5 * 1024 * 1024).toBeLessThan(16 * 1024 * 1024);
    client.destroy();
  });
});
