import { describe, expect, it } from "vitest";
import { GrpcPeer } from "#adapters/grpc/channel/grpc-peer.ts";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { toSessionKeyMessage } from "#adapters/grpc/messages/messages.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { GrantedJournal } from "#services/session/granted-journal.ts";
import { runJournalHandlers } from "#services/session/run-journal-handlers.ts";
import { createSessionServer } from "#services/session/server.ts";
import { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";
import { GrpcServer } from "#shared/grpc/grpc-server.ts";
import { KEY, LEASE_MS, record, said, started } from "#test/contract/sessions/session-world.ts";

const { service: JOURNAL } = loadProto("runJournal").fairlead.session.v1.RunJournalService;
const { service: SESSIONS } = loadProto("session").fairlead.session.v1.SessionService;
const MIB = 1024 * 1024;

async function startWorld() {
  const stack = new AsyncDisposableStack();
  const store = new InMemorySessionStore();
  await store.createSession(KEY);
  const server = stack.use(createSessionServer({ sessions: store, journal: store, logger: silentLogger }));
  const address = `127.0.0.1:${await server.listen("127.0.0.1:0")}`;
  const options = { address, clock: systemClock, timeoutMs: 10_000 };
  return {
    store,
    options,
    stack,
    journal: stack.use(new RemoteRunJournal(options)),
    sessions: stack.use(new RemoteSessionService(options)),
    peer: stack.use(new GrpcPeer({ ...options, name: "session", methods: JOURNAL })),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe("a caller of a newer version", () => {
  it("learns that the service does not offer the call", async () => {
    await using world = await startWorld();
    const newer = { ...SESSIONS.DeleteSession, path: "/fairlead.session.v1.SessionService/ForkSession" };
    await expect(world.peer.unary(newer, { key: KEY })).rejects.toMatchObject({
      reason: "NOT_IMPLEMENTED",
      httpStatus: 501,
      message: "The session service does not offer that operation; it may be of another version.",
    });
    expect(await world.store.getSession(KEY)).toMatchObject(KEY);
  });

  it("learns that a value means nothing here, and nothing of its call is done", async () => {
    await using world = await startWorld();
    const { lease } = await started(world.journal, "run");
    const { path, responseDeserialize, requestSerialize } = JOURNAL.FinishRun;
    // The field of the status, after those of the request.
    const withStatus = (number: number) => ({
      path,
      responseDeserialize,
      requestSerialize: (request: Parameters<typeof requestSerialize>[0]) =>
        Buffer.concat([requestSerialize(request), Buffer.from([0x20, number])]),
    });
    const times = { expiresAt: { seconds: "1", nanos: 0 } };
    const { runId, session, holder, epoch } = lease;
    const request = {
      lease: { runId, session: toSessionKeyMessage(session), holder, epoch, ...times },
      afterRevision: 0,
    };
    await expect(world.peer.unary(withStatus(99), request)).rejects.toMatchObject({
      reason: "NOT_IMPLEMENTED",
      httpStatus: 501,
      message: expect.stringContaining("of another version"),
    });
    expect(await world.store.get("run")).toMatchObject({ status: "running" });
    expect(await world.peer.unary(withStatus(4), request)).toMatchObject({ run: { status: "RUN_STATUS_SUCCEEDED" } });
  });

  it("is understood when it only says more", async () => {
    await using world = await startWorld();
    const { path, responseDeserialize, requestSerialize } = JOURNAL.GetRun;
    const unknownField = Buffer.from([0xfa, 0x07, 0x02, 0x68, 0x69]);
    const newer = {
      path,
      responseDeserialize,
      requestSerialize: (request: { runId: string; tenantId: string }) =>
        Buffer.concat([requestSerialize(request), unknownField]),
    };
    await started(world.store, "run");
    expect((await world.peer.unary(newer, { runId: "run", tenantId: "default" })).run).toMatchObject({ runId: "run" });
  });

  it("is refused when what it sends is not a message at all", async () => {
    await using world = await startWorld();
    const { path, responseDeserialize } = SESSIONS.DeleteSession;
    const broken = { path, responseDeserialize, requestSerialize: () => Buffer.from([0x0a, 0x7f, 0x01]) };
    await expect(world.peer.unary(broken, {})).rejects.toMatchObject({ reason: "INTERNAL" });
    expect(await world.store.getSession(KEY)).toMatchObject(KEY);
  });
});

describe("a caller of an older service", () => {
  it("appends without the pipe that the service does not have, each event once", async () => {
    const store = new InMemorySessionStore();
    await store.createSession(KEY);
    const { JournalPipe: _, ...older } = JOURNAL;
    const handlers = new GrpcHandlers({ logger: silentLogger });
    const { JournalPipe: __, ...methods } = runJournalHandlers(
      new GrantedJournal(store, undefined),
      handlers,
      new AbortController().signal,
    );
    await using server = new GrpcServer({ services: [{ definition: older, handlers: methods }] });
    const address = `127.0.0.1:${await server.listen("127.0.0.1:0")}`;
    await using journal = new RemoteRunJournal({ address, clock: systemClock, timeoutMs: 10_000 });
    const { lease } = await started(journal, "run");
    const append = (afterRevision: number, id: string) =>
      journal.append({ lease, leaseMs: LEASE_MS, afterRevision, events: [record(id)] });
    expect([(await append(0, "a")).revision, (await append(1, "b")).revision]).toEqual([1, 2]);
    expect((await store.getSession(KEY))?.events.map(({ id }) => id)).toEqual(["a", "b"]);
  });
});

describe("a message over the limit", () => {
  it("is refused by its reason when it is sent, and nothing of it is stored", async () => {
    await using world = await startWorld();
    const { lease } = await started(world.journal, "run");
    const huge = { ...record("huge"), json: JSON.stringify({ id: "huge", text: "x".repeat(5 * MIB) }) };
    const tooLarge = { reason: "MESSAGE_TOO_LARGE", httpStatus: 413 };
    const append = world.journal.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("a"), huge] });
    await expect(append).rejects.toMatchObject(tooLarge);
    const finish = { lease, afterRevision: 0, events: [huge], status: "succeeded" } as const;
    await expect(world.journal.finish(finish)).rejects.toMatchObject(tooLarge);
    const big = said("big", { content: { role: "user", parts: [{ text: "x".repeat(5 * MIB) }] } });
    const import_ = world.sessions.createSession({ ...KEY, id: "imported", events: [said("a"), big] });
    await expect(import_).rejects.toMatchObject(tooLarge);
    expect((await world.store.getSession(KEY))?.events).toEqual([]);
    expect(await world.store.get("run")).toMatchObject({ status: "running" });
    expect(await world.store.getSession({ ...KEY, id: "imported" })).toBeUndefined();
    const next = await world.journal.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("a")] });
    expect(next.revision).toBe(1);
  });
});
