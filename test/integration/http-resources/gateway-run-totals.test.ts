import { expect, it } from "vitest";
import type { UsageMetadata } from "#kit/events/content.ts";
import type { RunError } from "#kit/sessions/run-record.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { quotasOf } from "#test/helpers/worlds/quotas-of.ts";

/** 2026-01-01, where the clock begins. */
const START = 1_767_225_600_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const PRICED = "prices: { small: { input: 1, output: 10 } }";

function usageOf(model: string, promptTokenCount: number, candidatesTokenCount: number): UsageMetadata {
  const counts = { promptTokenCount, candidatesTokenCount, totalTokenCount: promptTokenCount + candidatesTokenCount };
  return { ...counts, models: { [model]: { calls: 2, ...counts } } };
}

interface Ended {
  readonly runId: string;
  readonly userId?: string;
  readonly usage?: UsageMetadata;
  readonly error?: RunError;
}

async function ended(world: GatewayWorld, { runId, userId = "ada", usage, error }: Ended): Promise<void> {
  const begun = await world.store.begin({
    runId,
    session: { appName: "echo", userId, id: `s-${runId}` },
    invocationId: `e-${runId}`,
    request: { newMessage: { role: "user", parts: [{ text: "hi" }] }, autoCreateSession: true },
    policy: "enqueue",
    holder: "h",
    leaseMs: 1000,
    haveRevision: 0,
  });
  if (begun.kind !== "started") throw new Error("The run did not start.");
  const status = error === undefined ? "succeeded" : "failed";
  await world.store.finish({ lease: begun.lease, afterRevision: 0, events: [], status, usage, error });
}

async function get(world: GatewayWorld, url: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await world.gateway.inject(url);
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

async function found(world: GatewayWorld, query: string): Promise<unknown> {
  // The schema of the route's answer is part of the server's API description.
  const { runs } = (await get(world, `/v1/runs?${query}`)) as { readonly runs: readonly { readonly runId: string }[] };
  return runs.map(({ runId }) => runId);
}

async function startWeek() {
  const clock = new FixedClock();
  const world = await startGateway({ clock, deps: { quotas: quotasOf(PRICED) } });
  await ended(world, { runId: "first", usage: usageOf("small-2026-01-01", 1000, 100) });
  await ended(world, { runId: "second", userId: "bob", usage: usageOf("other", 5, 5) });
  clock.advance(DAY_MS);
  await ended(world, { runId: "third", usage: usageOf("small", 10, 1) });
  const error = { code: "UNAVAILABLE", reason: "MODEL_OVERLOADED", message: "The model has no room." };
  await ended(world, { runId: "fourth", error });
  return world;
}

it("adds up what runs have used, by day, app and user", async () => {
  await using world = await startWeek();
  const none = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0 };
  const ada = { appName: "echo", userId: "ada", failed: 0, unpriced: 0, ...none, calls: 2 };
  const second = { ...ada, day: "2026-01-02", runs: 2, failed: 1, inputTokens: 10, outputTokens: 1, costUsd: 0.00002 };
  const first = { ...ada, day: "2026-01-01", runs: 1, inputTokens: 1000, outputTokens: 100, costUsd: 0.002 };
  const bobs = { ...first, userId: "bob", inputTokens: 5, outputTokens: 5, costUsd: 0, unpriced: 1 };
  expect(await get(world, "/v1/usage/runs")).toEqual({
    totals: [second, bobs, first],
    searched: { runs: 4, since: START },
  });
  const { totals } = await get(world, `/v1/usage/runs?since=${START + 1}`);
  expect(totals).toEqual([second]);
  const before = await get(world, `/v1/usage/runs?userId=ada&until=${START + DAY_MS}`);
  expect(before["totals"]).toEqual([first]);
});

it("adds up a bounded number of runs, and continues behind them", async () => {
  await using world = await startGateway();
  for (let count = 0; count < 1001; count += 1) await ended(world, { runId: `run-${count}` });
  const first = await get(world, "/v1/usage/runs");
  expect(first).toMatchObject({
    totals: [{ runs: 1000 }],
    searched: { runs: 1000 },
    nextPageToken: expect.any(String),
  });
  const rest = await get(world, `/v1/usage/runs?pageToken=${String(first["nextPageToken"])}`);
  expect(rest).toMatchObject({ totals: [{ runs: 1 }], searched: { runs: 1 } });
  expect(rest).not.toHaveProperty("nextPageToken");
});

it.each([
  ["/v1/usage/runs?since=yesterday", "since"],
  ["/v1/usage/runs?until=-1", "until"],
  ["/v1/runs?createdAfter=x", "createdAfter"],
  ["/v1/runs?createdBefore=1.5", "createdBefore"],
  ["/v1/runs?minTokens=-1", "minTokens"],
  ["/v1/runs?minCostUsd=much", "minCostUsd"],
])("refuses %s and names the field", async (url, field) => {
  await using world = await startGateway();
  const answer = await world.gateway.inject(url);
  expect([answer.statusCode, answer.body]).toEqual([422, expect.stringContaining(field)]);
});

it("finds runs by error, time, tokens and money, and says how far it has looked", async () => {
  await using world = await startWeek();
  expect(await found(world, "find=overloaded")).toEqual(["fourth"]);
  expect(await found(world, "find=HAS+NO+room")).toEqual(["fourth"]);
  expect(await found(world, `createdAfter=${START + DAY_MS}`)).toEqual(["fourth", "third"]);
  expect(await found(world, `createdBefore=${START + DAY_MS}`)).toEqual(["second", "first"]);
  expect(await found(world, "minTokens=11")).toEqual(["third", "first"]);
  expect(await found(world, "minCostUsd=0.0001")).toEqual(["first"]);
  expect(await found(world, "minCostUsd=0")).toEqual(["third", "first"]);
  expect(await found(world, "find=first&minTokens=5000")).toEqual([]);
  const { searched, runs } = await get(world, "/v1/runs?minTokens=1000&userId=ada");
  expect([searched, runs]).toMatchObject([{ runs: 3, since: START }, [{ runId: "first", costUsd: 0.002 }]]);
  expect(await get(world, "/v1/runs/first")).toMatchObject({
    costUsd: 0.002,
    prices: { "small-2026-01-01": { input: 1, output: 10 } },
  });
  expect(await get(world, "/v1/runs/second")).not.toHaveProperty("costUsd");
});

it("reads no older runs than the time that is asked for", async () => {
  const clock = new FixedClock();
  await using world = await startGateway({ clock });
  expect(await get(world, "/v1/runs?createdAfter=1")).toEqual({ runs: [], searched: { runs: 0 } });
  await ended(world, { runId: "old" });
  clock.advance(DAY_MS);
  for (let count = 0; count < 250; count += 1) await ended(world, { runId: `run-${count}` });
  clock.advance(DAY_MS);
  await ended(world, { runId: "new" });
  const page = await get(world, `/v1/runs?createdAfter=${START + 2 * DAY_MS}`);
  expect(page).toMatchObject({ runs: [{ runId: "new" }], searched: { runs: 200 } });
  expect(page).not.toHaveProperty("nextPageToken");
});
