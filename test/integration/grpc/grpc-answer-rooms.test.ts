import { status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { createSessionServer } from "#services/session/server.ts";
import { AnswerAccount } from "#shared/answers/answer-account.ts";
import { StalledCall } from "#test/attack/stalled-call.ts";
import { verifies } from "#test/helpers/verifies.ts";

const KEY = { appName: "app", userId: "user", id: "session" };
/** Room for three pages with the head of their session. */
const LIMITS = { maxBytes: 20 * 1024 * 1024, maxBytesOfUser: 0 };
const { ListEvents } = loadProto("session").fairlead.session.v1.SessionService.service;

async function startSessions() {
  const stack = new AsyncDisposableStack();
  const store = new InMemorySessionStore({ clock: new FixedClock(1_790_000_000_000), ids: new SequentialIds() });
  const answers = new AnswerAccount(LIMITS);
  const server = stack.use(createSessionServer({ sessions: store, journal: store, logger: silentLogger, answers }));
  const port = await server.listen("127.0.0.1:0");
  const options = { address: `127.0.0.1:${port}`, clock: systemClock, timeoutMs: 20_000 };
  const sessions = stack.use(new RemoteSessionService(options));
  const content = { role: "user", parts: [{ text: "text ".repeat(200_000) }] };
  const events = ["a", "b", "c"].map((id) => ({
    id,
    invocationId: "i",
    author: "user",
    content,
    timestamp: 1,
    actions: {},
  }));
  // The members that a user's event has.
  await store.createSession({ ...KEY, events: events as never });
  const key = { ...KEY, tenantId: "default" };
  const stall = () => stack.use(new StalledCall(port, ListEvents.path, ListEvents.requestSerialize({ key })));
  return { answers, sessions, store, port, key, stall, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe("the answers of a service", () => {
  it("have their room until their callers have them or have left, and others wait for theirs", async () => {
    verifies("limits:service-answers");
    await using world = await startSessions();
    const { answers, stall } = world;
    const calls = [stall(), stall(), stall()];
    await expect.poll(() => calls.map(({ status }) => status)).toEqual(["answered", "answered", "answered"]);
    const full = answers.usedBytes;
    expect([full > LIMITS.maxBytes / 2, full <= LIMITS.maxBytes]).toEqual([true, true]);
    const later = stall();
    const small = world.sessions.readStorage([]);
    await small;
    expect([later.status, answers.usedBytes]).toEqual([undefined, full]);
    calls[0]?.[Symbol.dispose]();
    await expect.poll(() => later.status).toBe("answered");
    for (const call of [...calls, later]) call[Symbol.dispose]();
    await expect.poll(() => answers.usedBytes).toBe(0);
  });

  it("are refused when there is no room for some seconds", { timeout: 20_000 }, async () => {
    await using world = await startSessions();
    const calls = [world.stall(), world.stall(), world.stall()];
    await expect.poll(() => calls.map(({ status }) => status)).toEqual(["answered", "answered", "answered"]);
    const later = world.stall();
    await expect.poll(() => later.status, { timeout: 15_000 }).toBe(String(status.UNAVAILABLE));
  });

  it("are whole, whatever the size of pages", async () => {
    await using world = await startSessions();
    const { answers, sessions, store } = world;
    expect(await sessions.getSession(KEY)).toEqual(await store.getSession(KEY));
    expect(await sessions.getSession(KEY, { numRecentEvents: 1 })).toEqual(
      await store.getSession(KEY, { numRecentEvents: 1 }),
    );
    expect((await sessions.listEvents({ ...KEY, pageSize: 2 })).events).toHaveLength(2);
    expect(await sessions.listSessions({ appName: "app", userId: "user" })).toEqual(
      await store.listSessions({ appName: "app", userId: "user" }),
    );
    await expect.poll(() => answers.usedBytes).toBe(0);
  });
});
