import { describe, expect, it } from "vitest";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { createSessionServer } from "#services/session/server.ts";
import type { ServiceSecurity } from "#shared/grpc/service-security.ts";
import { beginRequest, KEY, LEASE_MS, OWNER, record, said, started } from "#test/contract/sessions/session-world.ts";
import { peerAt, SecurityFiles, tokenOf } from "#test/helpers/security/security-files.ts";

/** A session service that authenticates callers by their tokens, with a clock for its reading of the files. */
async function startWorld() {
  const files = new SecurityFiles();
  files.issueTokens("gateway", "runner", "eval", "session");
  const clock = new FixedClock();
  const store = new InMemorySessionStore();
  const { server: shell } = files.withTokens("session", clock);
  const server = createSessionServer({ ...shell, sessions: store, journal: store, logger: silentLogger });
  const port = await server.listen("127.0.0.1:0");
  const stack = new AsyncDisposableStack();
  stack.use(files);
  stack.use(server);
  const connect = (security: ServiceSecurity) => ({
    sessions: stack.use(new RemoteSessionService(peerAt(port, security, "session"))),
    journal: stack.use(new RemoteRunJournal(peerAt(port, security, "session"))),
  });
  return { files, clock, store, connect, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const UNKNOWN = { reason: "CALLER_UNKNOWN", httpStatus: 502 };

describe("a service that knows its callers by tokens", () => {
  it("answers those that are declared", async () => {
    await using world = await startWorld();
    const gateway = world.connect(world.files.withTokens("gateway"));
    const runner = world.connect(world.files.withTokens("runner"));
    await gateway.sessions.createSession(KEY);
    const { lease } = await started(runner.journal, "run");
    const append = { lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("a")] };
    expect((await runner.journal.append(append)).revision).toBe(1);
    expect(await gateway.journal.get("run")).toMatchObject({ runId: "run", status: "running" });
  });

  it("refuses a call without a token, and with a wrong one, and does nothing of it", async () => {
    await using world = await startWorld();
    const silent = world.connect(world.files.open("gateway", {}));
    const SERVICE_TOKEN_FILE = world.files.write("stolen.token", tokenOf("memory"));
    const wrong = world.connect(world.files.open("gateway", { SERVICE_TOKEN_FILE }));
    await expect(silent.sessions.createSession(KEY)).rejects.toMatchObject({
      ...UNKNOWN,
      message: expect.stringContaining("set SERVICE_TOKEN_FILE of the calling service"),
    });
    await expect(wrong.sessions.createSession(KEY)).rejects.toMatchObject({
      ...UNKNOWN,
      message: expect.stringContaining("add it to SERVICE_TOKENS_DIR of this service"),
    });
    await expect(wrong.sessions.listEventRecords(KEY)).rejects.toMatchObject(UNKNOWN);
    expect(await world.store.getSession(KEY)).toBeUndefined();
  });

  it("lets only a runner write runs, by call or by pipe", async () => {
    await using world = await startWorld();
    await world.store.createSession(KEY);
    const { lease } = await started(world.store, "run");
    const gateway = world.connect(world.files.withTokens("gateway"));
    const refused = {
      reason: "CALLER_NOT_ALLOWED",
      message: expect.stringContaining("The gateway service may not call fairlead.session.v1.RunJournalService/"),
      details: { caller: "gateway" },
    };
    await expect(gateway.journal.begin(beginRequest("other"))).rejects.toMatchObject(refused);
    const append = { lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("a")] };
    await expect(gateway.journal.append(append)).rejects.toMatchObject(refused);
    const finish = { lease, afterRevision: 0, events: [], status: "succeeded" } as const;
    await expect(gateway.journal.finish(finish)).rejects.toMatchObject(refused);
    const other = world.connect(world.files.withTokens("eval"));
    await expect(other.sessions.getSession(KEY)).rejects.toMatchObject({
      reason: "CALLER_NOT_ALLOWED",
      details: { caller: "eval" },
    });
    expect((await world.store.getSession(KEY))?.events).toEqual([]);
    expect(await world.store.get("run")).toMatchObject({ status: "running" });
  });

  it("takes a new token without a restart of either side, and drops the old one when it is taken away", async () => {
    await using world = await startWorld();
    await world.store.createSession(KEY);
    const callerClock = new FixedClock();
    const gateway = world.connect(world.files.withTokens("gateway", callerClock));
    const former = world.connect(world.files.withTokens("gateway", new FixedClock()));
    const fresh = tokenOf("gateway").toUpperCase();
    world.files.write("accepted/gateway", fresh, tokenOf("gateway"));
    world.clock.advance(1000);
    expect(await gateway.sessions.getSession(KEY)).toMatchObject(OWNER);
    world.files.write("gateway.token", fresh);
    callerClock.advance(1000);
    expect(await gateway.sessions.getSession(KEY)).toMatchObject(OWNER);
    world.files.write("accepted/gateway", fresh);
    world.clock.advance(1000);
    expect(await gateway.sessions.getSession(KEY)).toMatchObject(OWNER);
    await expect(former.sessions.getSession(KEY)).rejects.toMatchObject(UNKNOWN);
  });

  it("refuses a stream from its first message on: a session with history is made whole or not", async () => {
    await using world = await startWorld();
    const silent = world.connect(world.files.open("gateway", {}));
    const text = "x".repeat(400_000);
    const events = Array.from({ length: 8 }, (_, index) =>
      said(String(index), { content: { role: "model", parts: [{ text }] } }),
    );
    await expect(silent.sessions.createSession({ ...KEY, events })).rejects.toMatchObject(UNKNOWN);
    expect(await world.store.getSession(KEY)).toBeUndefined();
  });
});
