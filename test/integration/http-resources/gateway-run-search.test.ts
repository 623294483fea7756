import { expect, it } from "vitest";
import type { FunctionResponse } from "#kit/events/content.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

interface Page {
  readonly runs: readonly { readonly runId: string; readonly message?: string; readonly answeredBy?: string }[];
  readonly nextPageToken?: string;
}

const KEY = { appName: "echo", userId: "Ada", id: "s" };

async function list(world: GatewayWorld, query: Record<string, string>): Promise<Page> {
  const response = await world.gateway.inject({ url: "/v1/runs", query });
  expect(response.statusCode).toBe(200);
  return response.json<Page>();
}

/** The ids of the runs that a query finds. */
async function found(world: GatewayWorld, query: Record<string, string>): Promise<readonly string[]> {
  return (await list(world, query)).runs.map(({ runId }) => runId);
}

async function run(
  world: GatewayWorld,
  runId: string,
  text: string,
  { invocationId = `e-${runId}`, session = KEY } = {},
) {
  const request: RunRequest = { newMessage: { role: "user", parts: [{ text }] }, autoCreateSession: true };
  const begun = await world.store.begin({
    runId,
    session,
    invocationId,
    request,
    policy: "enqueue",
    holder: "h",
    leaseMs: 1000,
    haveRevision: 0,
  });
  if (begun.kind !== "started") throw new Error("The run did not start.");
  return begun.lease;
}

async function ended(
  world: GatewayWorld,
  runId: string,
  text: string,
  place?: Parameters<typeof run>[3],
): Promise<void> {
  const lease = await run(world, runId, text, place);
  await world.store.finish({ lease, afterRevision: 0, events: [], status: "succeeded" });
}

it("finds runs by parts of their ids and their message, in any case, together with the filters", async () => {
  await using world = await startGateway();
  await ended(world, "run-1", "The weather in PARIS");
  await ended(world, "run-2", "Hotels", { session: { ...KEY, userId: "Grace", id: "paris-trip" } });
  await ended(world, "other-3", "Nothing");
  expect(await found(world, { find: "paris" })).toEqual(["run-2", "run-1"]);
  expect(await found(world, { find: " Paris ", userId: "Ada" })).toEqual(["run-1"]);
  expect(await found(world, { find: "run-", status: "succeeded" })).toEqual(["run-2", "run-1"]);
  expect(await found(world, { find: "paris", status: "failed" })).toEqual([]);
  expect(await found(world, { find: "grace" })).toEqual(["run-2"]);
  expect(await found(world, { userId: "Ada" })).toEqual(["other-3", "run-1"]);
  expect(await found(world, { find: "" })).toEqual(["other-3", "run-2", "run-1"]);
  const tooLong = await world.gateway.inject({ url: "/v1/runs", query: { find: "x".repeat(201) } });
  expect([tooLong.statusCode, tooLong.body]).toEqual([422, expect.stringContaining("find")]);
});

it("looks at a bounded number of runs and returns where to continue, and finds a whole id directly", async () => {
  await using world = await startGateway();
  await ended(world, "needle", "oldest");
  for (let index = 0; index < 1000; index += 1)
    await ended(world, `hay-${index}`, "hay", { session: { ...KEY, id: `s${index % 4}` } });
  const first = await list(world, { find: "oldest" });
  expect(first).toEqual({
    runs: [],
    nextPageToken: expect.any(String),
    searched: { runs: 1000, since: expect.any(Number) },
  });
  expect(await found(world, { find: "oldest", pageToken: first.nextPageToken ?? "" })).toEqual(["needle"]);
  expect(await found(world, { find: "needle" })).toEqual(["needle"]);
  expect(await found(world, { find: "needle", userId: "Grace" })).toEqual([]);
});

it("continues behind the last run of a page that is full", async () => {
  await using world = await startGateway();
  for (const index of [1, 2, 3, 4, 5]) await ended(world, `run-${index}`, index % 2 === 1 ? "odd" : "even");
  const first = await list(world, { find: "odd", pageSize: "2" });
  expect(first.runs.map(({ runId }) => runId)).toEqual(["run-5", "run-3"]);
  expect(await found(world, { find: "odd", pageSize: "2", pageToken: first.nextPageToken ?? "" })).toEqual(["run-1"]);
});

it("shows the user's message, shorter in lists", async () => {
  await using world = await startGateway();
  await ended(world, "run", "é".repeat(2000));
  const [listed] = (await list(world, {})).runs;
  const one = (await world.gateway.inject("/v1/runs/run")).json<{ message: string }>();
  expect([listed?.message, one.message]).toEqual([`${"é".repeat(199)}…`, `${"é".repeat(999)}…`]);
});

const QUESTION = {
  originalFunctionCall: { id: "c1", name: "pay", args: { amount: 5 } },
  toolConfirmation: { hint: "Pay?" },
};

it("shows the calls that a run waits for until it is answered", async () => {
  await using world = await startGateway({
    script: async ({ say }) => {
      const call = { id: "q1", name: "adk_request_confirmation", args: QUESTION };
      const [failed, begun] = ["q0", "q2"].map((id) => ({ id, name: "ask", args: {} }));
      await say({
        id: "event",
        content: { parts: [failed, call, begun].map((functionCall) => ({ functionCall })) },
        longRunningToolIds: ["q0", "q1", "q2"],
      });
      const responses: FunctionResponse[] = [
        { id: "q0", name: "ask", response: { error: "Nobody is there." } },
        { id: "q2", name: "ask", response: { status: "pending" } },
      ];
      await say({ content: { parts: responses.map((functionResponse) => ({ functionResponse })) } });
      return { status: "awaiting_input" };
    },
  });
  await world.store.createSession(KEY);
  const started = await world.gateway.inject({
    method: "POST",
    url: "/v1/runs",
    payload: { appName: "echo", userId: "Ada", sessionId: "s", newMessage: { parts: [{ text: "hi" }] } },
  });
  const { runId, invocationId } = started.json<{ runId: string; invocationId: string }>();
  await world.gateway.inject(`/v1/runs/${runId}/stream`);
  const calls = async () => (await world.gateway.inject(`/v1/runs/${runId}/calls`)).json<unknown>();
  expect(await calls()).toEqual({
    calls: [
      { id: "q1", name: "adk_request_confirmation", args: QUESTION, eventId: "event", author: "agent" },
      { id: "q2", name: "ask", args: {}, eventId: "event", author: "agent", interimResponse: { status: "pending" } },
    ],
  });
  expect(await found(world, { status: "awaiting_input" })).toEqual([runId]);

  await ended(world, "answer", "yes", { invocationId });
  expect([await calls(), await found(world, { status: "awaiting_input" })]).toEqual([{ calls: [] }, []]);
  expect((await list(world, {})).runs.find((listed) => listed.runId === runId)?.answeredBy).toBe("answer");
  const missing = await world.gateway.inject("/v1/runs/none/calls");
  expect([missing.statusCode, missing.json()]).toMatchObject([404, { reason: "RUN_NOT_FOUND" }]);
});
