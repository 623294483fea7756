import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const RUN = { appName: "echo", userId: "u", sessionId: "s", newMessage: { role: "user", parts: [{ text: "hi" }] } };
const KEY = { appName: "echo", userId: "u", id: "s" };
const NOW = 1_767_225_600_000;

interface WireRun {
  readonly runId: string;
  readonly status: string;
}

async function start(world: GatewayWorld, headers: Record<string, string> = {}): Promise<WireRun> {
  const response = await world.gateway.inject({ method: "POST", url: "/v1/runs", payload: RUN, headers });
  expect(response.statusCode).toBe(202);
  return response.json<WireRun>();
}

async function read(
  world: GatewayWorld,
  url: string,
  headers: Record<string, string> = {},
): Promise<readonly string[]> {
  const response = await world.gateway.inject({ url, headers });
  expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "text/event-stream; charset=utf-8"]);
  return response.body.split("\n\n").filter((frame) => frame !== "");
}

const script: NonNullable<Parameters<typeof startGateway>[0]>["script"] = async (run) => {
  await run.partial("hel");
  await run.say("hello");
  await run.say("bye");
};

/** Text, name or status, and id of a frame. */
function summary(frame: string): string {
  const [first = "", ...rest] = frame.split("\n");
  const data: { content?: { parts: { text: string }[] }; status?: string } = JSON.parse(first.slice("data: ".length));
  return [data.content?.parts[0]?.text ?? data.status ?? "", ...rest].join(" ");
}

describe("/v1/runs", () => {
  it("starts a run and answers its record before it ends", async () => {
    verifies("wire:run:background");
    await using world = await startGateway({ script: () => new Promise(() => {}) });
    await world.store.createSession(KEY);
    const response = await world.gateway.inject({
      method: "POST",
      url: "/v1/runs",
      payload: { ...RUN, timeout_ms: 1000 },
    });
    const run = response.json<WireRun>();
    expect([response.statusCode, response.headers.location]).toEqual([202, `/v1/runs/${run.runId}`]);
    expect(run).toEqual({
      runId: expect.any(String),
      appName: "echo",
      userId: "u",
      sessionId: "s",
      invocationId: expect.stringMatching(/^e-/),
      ...{
        status: "running",
        policy: "enqueue",
        message: "hi",
        attempts: 1,
        epoch: 1,
        holder: "test",
        cancelRequested: false,
      },
      createdTime: NOW,
      startedTime: NOW,
      deadline: NOW + 1000,
    });
    expect((await world.gateway.inject(`/v1/runs/${run.runId}`)).json()).toEqual(run);
  });

  it("passes the caller's idempotency key on", async () => {
    await using world = await startGateway();
    await world.store.createSession(KEY);
    await start(world, { "idempotency-key": "once" });
    expect(world.runner.started.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["once"]);
  });

  it("lists runs, by session and status, page by page", async () => {
    await using world = await startGateway({ script: async () => ({ status: "failed" }) });
    await world.store.createSession(KEY);
    await world.store.createSession({ ...KEY, id: "t" });
    const { runId } = await start(world);
    await world.gateway.inject(`/v1/runs/${runId}/stream`);
    await world.gateway.inject({ method: "POST", url: "/v1/runs", payload: { ...RUN, sessionId: "t" } });
    const list = async (query: Record<string, string>) =>
      (await world.gateway.inject({ url: "/v1/runs", query })).json<{ runs: WireRun[]; nextPageToken?: string }>();
    const first = await list({ pageSize: "1" });
    const second = await list({ pageSize: "1", pageToken: first.nextPageToken ?? "" });
    expect([first.runs, second.runs]).toMatchObject([[{ sessionId: "t" }], [{ sessionId: "s" }]]);
    expect((await list({ appName: "echo", userId: "u", sessionId: "s" })).runs).toMatchObject([
      { runId, status: "failed" },
    ]);
    expect((await list({ appName: "other" })).runs).toEqual([]);
    expect((await list({ status: "awaiting_input" })).runs).toEqual([]);
    expect((await world.gateway.inject("/v1/runs?sessionId=s")).json()).toMatchObject({ status: 422 });
    expect((await world.gateway.inject("/v1/runs?status=done")).json()).toMatchObject({ status: 422 });
  });

  it("streams a run from its beginning, during it and after it, to its end", async () => {
    verifies("wire:run:background");
    await using world = await startGateway({ script });
    await world.store.createSession(KEY);
    const { runId } = await start(world);
    const expected = ["hel id: 1.1", "hello id: 1.2", "bye id: 1.3", "succeeded event: end id: end"];
    expect((await read(world, `/v1/runs/${runId}/stream`)).map(summary)).toEqual(expected);
    expect((await read(world, `/v1/runs/${runId}/stream`)).map(summary)).toEqual(expected);
  });

  it("continues after the frame that the reader saw last", async () => {
    verifies("wire:sse:resume", "wire:sse:after-the-end");
    await using world = await startGateway({ script });
    await world.store.createSession(KEY);
    const { runId } = await start(world);
    const expected = ["bye id: 1.3", "succeeded event: end id: end"];
    expect((await read(world, `/v1/runs/${runId}/stream`, { "last-event-id": "1.2" })).map(summary)).toEqual(expected);
    expect((await read(world, `/v1/runs/${runId}/stream?after=1.2`)).map(summary)).toEqual(expected);
    // An EventSource reconnects after any answer with content.
    const after = { url: `/v1/runs/${runId}/stream`, headers: { "last-event-id": "end" } };
    expect(await world.gateway.inject(after)).toMatchObject({ statusCode: 204, body: "" });
  });

  it("does not take the position after the end for one of a run in progress", async () => {
    verifies("wire:sse:after-the-end");
    await using world = await startGateway({ script: () => new Promise(() => {}) });
    await world.store.createSession(KEY);
    const { runId } = await start(world);
    const { statusCode, body } = await world.gateway.inject(`/v1/runs/${runId}/stream?after=end`);
    expect([statusCode, JSON.parse(body)]).toMatchObject([400, { reason: "INVALID_CURSOR" }]);
  });

  it("reports a failure and then the end", async () => {
    const error = { code: "INTERNAL", reason: "RUN_FAILED", message: "boom" };
    await using world = await startGateway({ script: async () => ({ status: "failed", error }) });
    await world.store.createSession(KEY);
    const { runId } = await start(world);
    const frames = await read(world, `/v1/runs/${runId}/stream`);
    expect(frames.map(summary)).toEqual(["", "failed event: end id: end"]);
    expect(frames[0]).toContain('"error":"boom"');
    expect((await world.gateway.inject(`/v1/runs/${runId}`)).json()).toMatchObject({ status: "failed", error });
  });

  it("cancels a run", async () => {
    verifies("wire:run:background");
    await using world = await startGateway({ script: () => new Promise(() => {}) });
    await world.store.createSession(KEY);
    const { runId } = await start(world);
    const response = await world.gateway.inject({ method: "POST", url: `/v1/runs/${runId}/cancel` });
    expect([response.statusCode, response.json()]).toMatchObject([200, { runId, cancelRequested: true }]);
    expect(world.runner.cancelled).toEqual([runId]);
  });

  it.each([
    ["GET", "/v1/runs/nope", 404, "RUN_NOT_FOUND"],
    ["GET", "/v1/runs/nope/stream", 404, "RUN_NOT_FOUND"],
    ["POST", "/v1/runs/nope/cancel", 404, "RUN_NOT_FOUND"],
    ["GET", "/v1/runs/..%2F..%2Fetc/stream", 404, "RUN_NOT_FOUND"],
    ["GET", "/v1/runs?pageToken=nonsense", 400, "INVALID_CURSOR"],
  ] as const)("answers %s %s with %i", async (method, url, status, reason) => {
    await using world = await startGateway();
    const response = await world.gateway.inject({ method, url });
    expect([response.statusCode, response.json()]).toMatchObject([status, { reason }]);
  });

  it("refuses a cursor that no stream gave out", async () => {
    await using world = await startGateway({ script });
    await world.store.createSession(KEY);
    const { runId } = await start(world);
    for (const request of [{ query: { after: "abc" } }, { headers: { "last-event-id": "1.0" } }]) {
      const response = await world.gateway.inject({ url: `/v1/runs/${runId}/stream`, ...request });
      expect([response.statusCode, response.json()]).toMatchObject([400, { reason: "INVALID_CURSOR" }]);
    }
  });
});
