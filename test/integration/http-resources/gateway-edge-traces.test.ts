import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const SESSION = { appName: "echo", userId: "u", id: "s" };
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

describe("traces over HTTP", () => {
  it("are read by session and by event, under both prefixes", async () => {
    verifies(
      "endpoints-http:trace-by-event:route",
      "endpoints-http:trace-by-session:route",
      "wire:paths:spellings",
      "wire:trace:span-shape",
    );
    await using world = await startGateway();
    const attributes = { "gcp.vertex.agent.event_id": "ev-1", "gcp.vertex.agent.invocation_id": "e-1", empty: null };
    await world.deps.traceStore.record(SESSION, [
      {
        name: "invocation",
        traceId: TRACE_ID,
        spanId: "53995c3f42cd8ad8",
        startTime: 1000,
        endTime: 1003,
        attributes: {},
      },
      {
        name: "call_llm",
        traceId: TRACE_ID,
        spanId: "00f067aa0ba902b7",
        parentSpanId: "53995c3f42cd8ad8",
        startTime: 1001,
        endTime: 1002.5,
        attributes,
      },
    ]);
    const spans = [
      {
        name: "invocation",
        trace_id: TRACE_ID,
        span_id: "53995c3f42cd8ad8",
        start_time: 1_000_000_000,
        end_time: 1_003_000_000,
        attributes: {},
      },
      {
        name: "call_llm",
        trace_id: TRACE_ID,
        span_id: "00f067aa0ba902b7",
        parent_span_id: "53995c3f42cd8ad8",
        start_time: 1_001_000_000,
        end_time: 1_002_500_000,
        attributes: { "gcp.vertex.agent.event_id": "ev-1", "gcp.vertex.agent.invocation_id": "e-1" },
      },
    ];
    const flat = { ...spans[1]?.attributes, trace_id: TRACE_ID, span_id: "00f067aa0ba902b7" };
    for (const prefix of ["/debug/trace", "/dev/apps/echo/debug/trace"]) {
      const bySession = await world.gateway.inject(`${prefix}/session/s`);
      const byEvent = await world.gateway.inject(`${prefix}/ev-1`);
      expect([bySession.json(), byEvent.json()]).toEqual([spans, flat]);
    }
  });

  it("are empty for a session without any, and 404 for an event without one", async () => {
    await using world = await startGateway();
    const bySession = await world.gateway.inject("/dev/apps/echo/debug/trace/session/none");
    const byEvent = await world.gateway.inject("/debug/trace/none");
    expect([bySession.statusCode, bySession.json()]).toEqual([200, []]);
    const { reason, detail } = byEvent.json<{ reason: string; detail: string }>();
    expect([byEvent.statusCode, reason, detail]).toEqual([404, "TRACE_NOT_FOUND", "Trace not found"]);
  });
});
