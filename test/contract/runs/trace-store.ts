import { describe, expect, it } from "vitest";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import type { TraceStore } from "#ports/runs/trace-store.ts";
import { verifies } from "#test/helpers/verifies.ts";

export interface TraceStoreContract {
  readonly create: () => Promise<{ readonly service: TraceStore; readonly dispose: () => Promise<void> }>;
}

export function span(number: number, overrides: Partial<SpanRecord> = {}): SpanRecord {
  const spanId = number.toString(16).padStart(16, "0");
  const traceId = "1".padStart(32, "0");
  return {
    name: `span ${number}`,
    traceId,
    spanId,
    startTime: number,
    endTime: number + 0.5,
    attributes: {},
    ...overrides,
  };
}

export function traceId(number: number): string {
  return number.toString(16).padStart(32, "0");
}

export function eventAttributes(eventId: string): SpanRecord["attributes"] {
  return {
    "gcp.vertex.agent.event_id": eventId,
    "gen_ai.usage.input_tokens": 3,
    "gen_ai.response.finish_reasons": ["stop"],
  };
}

const SESSION: SessionKey = { appName: "app", userId: "user", id: "session" };

export function traceStoreContract({ create }: TraceStoreContract): void {
  const withStore = (test: (store: TraceStore) => Promise<void>) => async () => {
    const { service, dispose } = await create();
    try {
      await test(service);
    } finally {
      await dispose();
    }
  };

  describe("spans", () => {
    it(
      "finds the span that produced an event",
      withStore(async (store) => {
        verifies("events:trace:exporter");
        const model = span(2, { parentSpanId: span(1).spanId, attributes: eventAttributes("e-1"), error: "no" });
        await store.record(SESSION, [span(1), model]);
        expect(await store.byEvent({ appName: "app" }, "e-1")).toEqual(model);
        expect(await store.byEvent({}, "e-1")).toEqual(model);
        expect(await store.byEvent({ appName: "app" }, "e-2")).toBeUndefined();
      }),
    );

    it(
      "keeps equal event ids of two apps apart",
      withStore(async (store) => {
        const mine = span(1, { attributes: eventAttributes("e-1") });
        const theirs = span(2, { traceId: traceId(2), attributes: eventAttributes("e-1") });
        await store.record(SESSION, [mine]);
        await store.record({ ...SESSION, appName: "other" }, [theirs]);
        expect(await store.byEvent({ appName: "app" }, "e-1")).toEqual(mine);
        expect(await store.byEvent({ appName: "other" }, "e-1")).toEqual(theirs);
        expect(await store.byEvent({ appName: "third" }, "e-1")).toBeUndefined();
      }),
    );

    it(
      "gives all spans of every trace of a session by start time",
      withStore(async (store) => {
        await store.record(SESSION, [span(2), span(1)]);
        await store.record(SESSION, [span(4, { traceId: traceId(2) })]);
        await store.record(SESSION, [span(3)]);
        await store.record({ ...SESSION, id: "other" }, [span(5, { traceId: traceId(3) })]);
        expect(await store.bySession({ appName: "app" }, "session")).toEqual([
          span(1),
          span(2),
          span(3),
          span(4, { traceId: traceId(2) }),
        ]);
        expect(await store.bySession({}, "other")).toEqual([span(5, { traceId: traceId(3) })]);
      }),
    );

    it(
      "keeps apart what two sessions, users and apps have of one trace",
      withStore(async (store) => {
        verifies("events:trace:owners");
        const sessions: readonly SessionKey[] = [
          SESSION,
          { ...SESSION, id: "child" },
          { ...SESSION, userId: "other" },
          { ...SESSION, appName: "other" },
        ];
        const spanOf = (index: number) => span(index + 1, { attributes: eventAttributes("e-1") });
        for (const [index, session] of sessions.entries()) await store.record(session, [spanOf(index)]);
        for (const [index, { id, ...reader }] of sessions.entries()) {
          expect(await store.bySession(reader, id)).toEqual([spanOf(index)]);
        }
        expect(await store.byEvent({ appName: "app", userId: "other" }, "e-1")).toEqual(spanOf(2));
        expect(await store.byEvent({ userId: "other" }, "e-1")).toEqual(spanOf(2));
        expect(await store.byEvent({ appName: "app", userId: "nobody" }, "e-1")).toBeUndefined();
        expect(await store.bySession({ appName: "app", userId: "nobody" }, "session")).toEqual([]);
      }),
    );

    it(
      "answers a reader without user or app only where one session of that id has spans",
      withStore(async (store) => {
        verifies("events:trace:owners");
        const ambiguous = { reason: "TRACE_AMBIGUOUS", details: { sessionId: "session" } };
        await store.record(SESSION, [span(1)]);
        expect(await store.bySession({}, "session")).toEqual([span(1)]);
        await store.record({ ...SESSION, appName: "other" }, [span(2)]);
        await expect(store.bySession({}, "session")).rejects.toMatchObject(ambiguous);
        expect(await store.bySession({ appName: "app" }, "session")).toEqual([span(1)]);
        await store.record({ ...SESSION, userId: "eve" }, [span(3)]);
        await expect(store.bySession({ appName: "app" }, "session")).rejects.toMatchObject(ambiguous);
        expect(await store.bySession({ userId: "eve" }, "session")).toEqual([span(3)]);
      }),
    );

    it(
      "keeps tenants apart, for readers of a session, a user, an app and all",
      withStore(async (store) => {
        const ofAcme = { tenantId: "acme", ...SESSION };
        const mine = span(1, { attributes: eventAttributes("e-1") });
        const theirs = span(2, { attributes: eventAttributes("e-1") });
        await store.record(SESSION, [mine]);
        await store.record(ofAcme, [theirs]);
        const { id, ...owner } = SESSION;
        for (const reader of [owner, { appName: owner.appName }, { userId: owner.userId }, {}]) {
          expect(await store.bySession(reader, id)).toEqual([mine]);
          expect(await store.byEvent({ tenantId: "default", ...reader }, "e-1")).toEqual(mine);
          expect(await store.bySession({ tenantId: "acme", ...reader }, id)).toEqual([theirs]);
          expect(await store.byEvent({ tenantId: "acme", ...reader }, "e-1")).toEqual(theirs);
          expect(await store.bySession({ tenantId: "globex", ...reader }, id)).toEqual([]);
          expect(await store.byEvent({ tenantId: "globex", ...reader }, "e-1")).toBeUndefined();
        }
      }),
    );

    it(
      "answers an empty list for a session without spans, and for one of another app",
      withStore(async (store) => {
        await store.record(SESSION, [span(1)]);
        expect(await store.bySession({ appName: "other" }, "session")).toEqual([]);
        expect(await store.bySession({ appName: "app" }, "nobody")).toEqual([]);
      }),
    );

    it(
      "is not confused by names of the language's own properties",
      withStore(async (store) => {
        const odd = span(1, { attributes: eventAttributes("__proto__") });
        await store.record({ appName: "constructor", userId: "u", id: "toString" }, [odd]);
        expect(await store.byEvent({ appName: "constructor" }, "__proto__")).toEqual(odd);
        expect(await store.bySession({ appName: "constructor" }, "toString")).toEqual([odd]);
      }),
    );
  });
}
