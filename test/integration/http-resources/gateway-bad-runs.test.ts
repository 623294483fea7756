import type { InjectOptions } from "fastify";
import { describe, expect, it } from "vitest";
import { gate } from "#test/helpers/clients/sse-reader.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const RUN = { appName: "echo", userId: "u", sessionId: "s", newMessage: { role: "user", parts: [{ text: "hi" }] } };

/** A run that has ended, and one after it that continues. */
interface Runs {
  readonly ended: string;
  readonly active: string;
}

async function withRuns(test: (world: GatewayWorld, runs: Runs) => Promise<void>): Promise<void> {
  const over = gate();
  await using world = await startGateway({
    script: async (run) => {
      await run.say("hello");
      if (world.runner.started.length > 1) await over.opened;
    },
  });
  await world.store.createSession(KEY);
  const [ended, active] = [await begin(world), await begin(world)];
  await test(world, { ended, active });
  over.open();
}

async function begin(world: GatewayWorld): Promise<string> {
  const count = world.runner.started.length;
  const { runId } = (await world.gateway.inject({ method: "POST", url: "/v1/runs", payload: RUN })).json<{
    runId: string;
  }>();
  await expect.poll(async () => (await world.store.listEventRecords(KEY)).events).toHaveLength(2 * (count + 1));
  if (count === 0) await expect.poll(async () => (await world.store.get(runId))?.status).toBe("succeeded");
  return runId;
}

async function everything(world: GatewayWorld): Promise<unknown> {
  const { runs } = await world.store.list({});
  const { events } = await world.store.listEventRecords(KEY);
  const { sessions } = await world.store.listSessions({ appName: "echo", userId: "u" });
  return JSON.parse(JSON.stringify({ runs, events, sessions }));
}

const get = (url: string, headers: Record<string, string> = {}): InjectOptions => ({ url, headers });
const post = (url: string, payload?: object, headers: Record<string, string> = {}): InjectOptions => ({
  method: "POST",
  url,
  headers,
  ...(payload !== undefined && { payload }),
});

type Row = readonly [name: string, request: (runs: Runs) => InjectOptions, status: number, reason: string];

const ROWS: readonly Row[] = [
  ["a cursor that is none", ({ active }) => get(`/v1/runs/${active}/stream?after=abc`), 400, "INVALID_CURSOR"],
  [
    "a cursor of an earlier run of the session",
    ({ active }) => get(`/v1/runs/${active}/stream?after=1.1`),
    400,
    "INVALID_CURSOR",
  ],
  [
    "a cursor of a later run of the session",
    ({ ended }) => get(`/v1/runs/${ended}/stream?after=2.1`),
    400,
    "INVALID_CURSOR",
  ],
  [
    "an epoch from the future",
    ({ active }) => get(`/v1/runs/${active}/stream`, { "last-event-id": "9.1" }),
    400,
    "INVALID_CURSOR",
  ],
  [
    "a cursor of a session's stream",
    ({ active }) => get(`/v1/runs/${active}/stream`, { "last-event-id": "4-2.1" }),
    400,
    "INVALID_CURSOR",
  ],
  [
    "a cursor of 10 kB",
    ({ active }) => get(`/v1/runs/${active}/stream`, { "last-event-id": "1".repeat(10_000) }),
    400,
    "INVALID_CURSOR",
  ],
  ["the stream of a forged run", () => get("/v1/runs/forged/stream"), 404, "RUN_NOT_FOUND"],
  ["the record of a forged run", () => get("/v1/runs/..%2f..%2fs"), 404, "RUN_NOT_FOUND"],
  ["a cancel of a forged run", () => post("/v1/runs/forged/cancel"), 404, "RUN_NOT_FOUND"],
  ["a requeue of a forged run", () => post("/v1/runs/forged/requeue"), 404, "RUN_NOT_FOUND"],
  ["an unknown policy", () => post("/v1/runs", { ...RUN, policy: "queue-jump" }), 422, "INVALID_FIELD"],
  ["an unknown on_disconnect", () => post("/run_sse?on_disconnect=maybe", RUN), 422, "INVALID_FIELD"],
  ["a key of 10 kB", () => post("/v1/runs", RUN, { "idempotency-key": "k".repeat(10_000) }), 400, "INVALID_IDENTIFIER"],
  [
    "a key of 10 kB for a requeue",
    ({ ended }) => post(`/v1/runs/${ended}/requeue`, undefined, { "idempotency-key": "k".repeat(10_000) }),
    400,
    "INVALID_IDENTIFIER",
  ],
  [
    "a second message where the policy is to refuse it",
    () => post("/v1/runs", { ...RUN, policy: "reject" }),
    409,
    "SESSION_BUSY",
  ],
  ["an unknown status in a list", () => get("/v1/runs?status=done"), 422, "INVALID_FIELD"],
  [
    "the stream of a session that is not there",
    () => get("/v1/apps/echo/users/u/sessions/gone/stream"),
    404,
    "SESSION_NOT_FOUND",
  ],
  [
    "a session cursor from the future",
    () => get("/v1/apps/echo/users/u/sessions/s/stream?after=5000"),
    400,
    "INVALID_CURSOR",
  ],
];

describe("runs and their streams", () => {
  it.each(ROWS)("refuse %s and change nothing", async (_name, request, status, reason) => {
    await withRuns(async (world, runs) => {
      const before = await everything(world);
      const response = await world.gateway.inject(request(runs));
      expect([response.statusCode, response.json()]).toMatchObject([status, { reason, status }]);
      expect(response.json<{ message: string }>().message.length).toBeLessThan(12_000);
      expect(await everything(world)).toEqual(before);
    });
  });

  it("answer a cancel of a finished run with the run as it is", async () => {
    await withRuns(async (world, { ended }) => {
      const before = await everything(world);
      const response = await world.gateway.inject(post(`/v1/runs/${ended}/cancel`));
      expect([response.statusCode, response.json()]).toMatchObject([
        200,
        { runId: ended, status: "succeeded", cancelRequested: false },
      ]);
      expect(await everything(world)).toEqual(before);
    });
  });

  it("say in the stream that a cursor is ahead of it", async () => {
    await withRuns(async (world, { ended }) => {
      const response = await world.gateway.inject(`/v1/runs/${ended}/stream?after=1.9`);
      expect(response.body).toContain('"error_type":"INVALID_CURSOR"');
    });
  });

  it("prefer where a reader reconnects to where its address began", async () => {
    await withRuns(async (world, { ended }) => {
      const response = await world.gateway.inject(
        get(`/v1/runs/${ended}/stream?after=1.1`, { "last-event-id": "1.2" }),
      );
      expect(response.body).toBe("");
    });
  });
});

describe("requeueing a run", () => {
  it("starts the request of an ended run again, as a run of its own", async () => {
    await using world = await startGateway();
    await world.store.createSession(KEY);
    const runId = await begin(world);
    const response = await world.gateway.inject(post(`/v1/runs/${runId}/requeue`));
    const again = response.json<{ runId: string }>().runId;
    expect([response.statusCode, response.headers.location, again === runId]).toEqual([
      202,
      `/v1/runs/${again}`,
      false,
    ]);
    const [second, first] = world.runner.started.toReversed();
    expect([second?.request, second?.policy, world.runner.cancelled]).toEqual([first?.request, "enqueue", []]);
    expect((await world.store.get(runId))?.status).toBe("succeeded");
  });

  it("cancels a run that has not ended, and queues the new one behind it", async () => {
    await using world = await startGateway({ script: () => new Promise(() => {}) });
    await world.store.createSession(KEY);
    const { runId } = await world.runner.startRun({ session: KEY, request: {} });
    const response = await world.gateway.inject(post(`/v1/runs/${runId}/requeue`));
    expect([response.statusCode, response.json(), world.runner.cancelled]).toMatchObject([
      202,
      { status: "pending", policy: "enqueue" },
      [runId],
    ]);
  });

  it("happens once under an idempotency key", async () => {
    await using world = await startGateway();
    await world.store.createSession(KEY);
    const runId = await begin(world);
    const requeue = async () =>
      (await world.gateway.inject(post(`/v1/runs/${runId}/requeue`, undefined, { "idempotency-key": "k" }))).json<{
        runId: string;
      }>().runId;
    expect(await requeue()).toBe(await requeue());
    expect((await world.store.list({})).runs).toHaveLength(2);
  });
});
