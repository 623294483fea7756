import { describe, expect, it } from "vitest";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { EVENT_ID_ATTRIBUTE, InMemoryTraceStore } from "./in-memory-trace-store.ts";

function session(id: string): SessionKey {
  return { appName: "app", userId: "user", id };
}

function span(trace: number, number: number, text = ""): SpanRecord {
  return {
    name: "call_llm",
    traceId: String(trace).padStart(32, "0"),
    spanId: String(number).padStart(16, "0"),
    startTime: number,
    endTime: number + 1,
    attributes: { [EVENT_ID_ATTRIBUTE]: `e-${trace}-${number}`, text },
  };
}

describe("InMemoryTraceStore's bounds", () => {
  it("drops whole traces, the oldest first, once there are too many spans", async () => {
    verifies("events:trace:bounded");
    const store = new InMemoryTraceStore({ maxSpans: 6 });
    for (const trace of [1, 2, 3])
      await store.record(
        session(`s-${trace}`),
        [1, 2, 3].map((number) => span(trace, number)),
      );
    expect(await store.bySession({ appName: "app" }, "s-1")).toEqual([]);
    expect(await store.byEvent({ appName: "app" }, "e-1-2")).toBeUndefined();
    expect(await store.byEvent({}, "e-1-2")).toBeUndefined();
    expect(await store.bySession({ appName: "app" }, "s-2")).toEqual([span(2, 1), span(2, 2), span(2, 3)]);
    expect(store.size).toBe(6);
  });

  it("drops the oldest trace once there are too many traces", async () => {
    const store = new InMemoryTraceStore({ maxTraces: 2 });
    for (const trace of [1, 2, 3]) await store.record(session("s"), [span(trace, trace)]);
    expect(await store.bySession({ appName: "app" }, "s")).toEqual([span(2, 2), span(3, 3)]);
  });

  it("drops traces once their text is too long", async () => {
    const store = new InMemoryTraceStore({ maxCharacters: 1000 });
    await store.record(session("s"), [span(1, 1, "x".repeat(600))]);
    await store.record(session("s"), [span(2, 2, "x".repeat(600))]);
    expect(await store.bySession({ appName: "app" }, "s")).toEqual([span(2, 2, "x".repeat(600))]);
  });

  it("keeps no data of a dropped trace", async () => {
    const store = new InMemoryTraceStore({ maxSpans: 10 });
    for (let trace = 1; trace <= 1000; trace += 1)
      await store.record(session(`s-${trace}`), [span(trace, 1), span(trace, 2)]);
    expect(store.size).toBe(10);
    const found = await Promise.all(
      Array.from({ length: 995 }, (_, index) => store.bySession({ appName: "app" }, `s-${index + 1}`)),
    );
    expect(found.flat()).toEqual([]);
  });

  it("keeps working after a single trace that exceeds the limit", async () => {
    const store = new InMemoryTraceStore({ maxSpans: 3 });
    await store.record(
      session("s"),
      [1, 2, 3, 4, 5].map((number) => span(1, number)),
    );
    await store.record(session("s"), [span(2, 9)]);
    expect(await store.bySession({ appName: "app" }, "s")).toEqual([span(2, 9)]);
  });

  it("keeps the newer of two spans of one event when the older one's trace is dropped", async () => {
    const store = new InMemoryTraceStore({ maxTraces: 1 });
    const older = span(1, 1);
    const newer = { ...span(2, 1), attributes: older.attributes };
    await store.record(session("s"), [older]);
    await store.record(session("s"), [newer]);
    expect(await store.byEvent({ appName: "app" }, "e-1-1")).toEqual(newer);
  });
});
