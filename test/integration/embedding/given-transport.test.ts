import { LlmAgent } from "fairlead/kit";
import { createServer } from "fairlead/server";
import { inMemoryStores } from "fairlead/stores";
import { expect, it } from "vitest";
import { systemClock as clock } from "#kit/platform/clock.ts";
import { InMemoryIdempotencyStore } from "#ports/idempotency/in-memory-idempotency-store.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { InMemoryTraceStore } from "#ports/runs/in-memory-trace-store.ts";
import { InMemoryRunNotifications } from "#ports/runs/run-notifications.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { messageTo, scriptedAgent } from "#test/helpers/worlds/mounted-world.ts";

it("keeps traces in a given transport, which it closes with the server", async () => {
  verifies("operations:stores:opened-by-program");
  const traceStore = new InMemoryTraceStore();
  let closed = 0;
  const runStream = {
    runStream: new InMemoryRunStream({ clock }),
    traceStore,
    idempotencyStore: new InMemoryIdempotencyStore({ clock }),
    [Symbol.asyncDispose]: async () => void (closed += 1),
  };
  const stores = inMemoryStores();
  const session = { appName: "greeter", userId: "ada", id: "first" };
  await stores.sessionService.createSession(session);
  const agents = [new LlmAgent({ name: "greeter", model: "demo/chat" })];
  {
    await using server = await createServer({ agents, stores, runStream });
    const url = await server.listen({ port: 0 });
    const newMessage = { role: "user", parts: [{ text: "Hi" }] };
    const body = JSON.stringify({ appName: "greeter", userId: "ada", sessionId: "first", newMessage });
    const headers = { "content-type": "application/json" };
    expect((await fetch(`${url}/run`, { method: "POST", headers, body })).status).toBe(200);
  }
  expect([traceStore.size > 0, closed]).toEqual([true, 1]);
});

it("notifies the servers of a given transport: one ends a run that another one is asked to cancel", async () => {
  verifies("operations:stores:opened-by-program");
  const held = heldStep();
  const stores = inMemoryStores();
  await stores.sessionService.createSession({ appName: "echo", userId: "u", id: "s" });
  const runStream = {
    runStream: new InMemoryRunStream({ clock }),
    traceStore: new InMemoryTraceStore(),
    idempotencyStore: new InMemoryIdempotencyStore({ clock }),
    runNotifications: new InMemoryRunNotifications(),
  };
  // No look at the journal finds the request within the test.
  const config = { LEASE_MS: 3_600_000 };
  const options = { stores, runStream, config };
  await using here = await createServer({ ...options, agents: [scriptedAgent([held.step])] });
  await using there = await createServer({ ...options, agents: [scriptedAgent()] });
  const [asked, other] = await Promise.all([here, there].map((server) => server.listen({ port: 0 })));
  const headers = { "content-type": "application/json" };
  const answer = fetch(`${asked}/run`, { method: "POST", headers, body: JSON.stringify(messageTo("echo")) });
  await held.begun;
  const [run] = await stores.runJournal.list({}).then(({ runs }) => runs);
  await fetch(`${other}/v1/runs/${run?.runId}/cancel`, { method: "POST" });
  await answer;
  await expect.poll(async () => (await stores.runJournal.get(run?.runId ?? ""))?.status).toBe("cancelled");
});
