import { LlmAgent } from "fairlead/kit";
import { createServer } from "fairlead/server";
import { inMemoryStores } from "fairlead/stores";
import { expect, it } from "vitest";
import { InMemoryIdempotencyStore } from "#kit/idempotency/in-memory-idempotency-store.ts";
import { systemClock as clock } from "#kit/platform/clock.ts";
import { InMemoryRunStream } from "#kit/runs/stream/in-memory-run-stream.ts";
import { InMemoryTraceStore } from "#kit/telemetry/in-memory-trace-store.ts";
import { verifies } from "#test/helpers/verifies.ts";

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
