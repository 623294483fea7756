import { describe, expect, it } from "vitest";
import { GrpcPeer } from "#adapters/grpc/channel/grpc-peer.ts";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { toAppendMessage } from "#adapters/grpc/messages/append-messages.ts";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { RemoteEvalStore } from "#adapters/grpc/remote-eval-store.ts";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { InMemoryArtifactService } from "#kit/artifacts/in-memory-artifact-service.ts";
import { InMemoryEvalStore } from "#kit/evaluation/in-memory-eval-store.ts";
import { InMemoryMemoryService } from "#kit/memory/in-memory-memory-service.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { ListRunsRequest } from "#kit/sessions/run-journal.ts";
import { InMemorySessionStore } from "#kit/sessions/tables/in-memory-session-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { createArtifactServer } from "#services/artifact/server.ts";
import { createEvalServer } from "#services/eval/server.ts";
import { createMemoryServer } from "#services/memory/server.ts";
import { createSessionServer } from "#services/session/server.ts";
import type { GrpcServer } from "#shared/grpc/grpc-server.ts";
import type { ServiceSecurity } from "#shared/grpc/service-security.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { EVERY_USER_SCOPE, type Principal } from "#shared/security/principal.ts";
import { KEY, LEASE_MS, record, said, started } from "#test/contract/sessions/session-world.ts";
import { peerAt, SecurityFiles } from "#test/helpers/security/security-files.ts";

const FOREIGN = { ...KEY, userId: "other" };
const { appName } = KEY;
const MINE: Principal = { tenantId: DEFAULT_TENANT, appName, userId: KEY.userId, scopes: [] };
const ALL_OF_APP: Principal = { tenantId: DEFAULT_TENANT, appName, scopes: [EVERY_USER_SCOPE] };
const PART = { inlineData: { mimeType: "text/plain", data: "aGk=" } };

/** The four back-ends, which demand principals, and the clients of a gateway and a runner. */
async function startWorld() {
  const stack = new AsyncDisposableStack();
  const files = stack.use(new SecurityFiles());
  files.write("principal.key", "key-key-key-key-key-key-key-key-key");
  files.write("other.key", "other-other-other-other-other-other");
  const sources = { clock: systemClock, ids: new SequentialIds() };
  const sessions = new InMemorySessionStore();
  const artifacts = new InMemoryArtifactService({ clock: systemClock });
  const memory = new InMemoryMemoryService(sources);
  const evaluations = new InMemoryEvalStore(sources);
  const shell = { ...files.withPrincipals("session").server, logger: silentLogger };
  const listen = (server: GrpcServer) => stack.use(server).listen("127.0.0.1:0");
  const ports = {
    session: await listen(createSessionServer({ ...shell, sessions, journal: sessions })),
    artifact: await listen(createArtifactServer({ ...shell, artifacts })),
    memory: await listen(createMemoryServer({ ...shell, memory })),
    eval: await listen(createEvalServer({ ...shell, evaluations })),
  };
  const connect = (security: ServiceSecurity) => ({
    sessions: stack.use(new RemoteSessionService(peerAt(ports.session, security, "session"))),
    journal: stack.use(new RemoteRunJournal(peerAt(ports.session, security, "session"))),
    artifacts: stack.use(new RemoteArtifactService(peerAt(ports.artifact, security, "artifact"))),
    memory: stack.use(new RemoteMemoryService(peerAt(ports.memory, security, "memory"))),
    evaluations: stack.use(new RemoteEvalStore(peerAt(ports.eval, security, "eval"))),
  });
  const stores = { sessions, artifacts, memory, evaluations };
  return {
    files,
    ports,
    stores,
    connect,
    gateway: connect(files.withPrincipals("gateway")),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

type Remotes = Awaited<ReturnType<typeof startWorld>>["gateway"];
type Key = typeof KEY;

/** All calls that read or change a user's data. */
const CALLS: Readonly<Record<string, (remotes: Remotes, key: Key) => Promise<unknown>>> = {
  createSession: ({ sessions }, key) => sessions.createSession({ ...key, id: "new" }),
  getSession: ({ sessions }, key) => sessions.getSession(key),
  listSessions: ({ sessions }, key) => sessions.listSessions(key),
  deleteSession: ({ sessions }, key) => sessions.deleteSession(key),
  listEvents: ({ sessions }, key) => sessions.listEvents(key),
  appendEvent: ({ sessions }, key) =>
    sessions.appendEvent({ ...key, state: {}, events: [], lastUpdateTime: 0, revision: 0 }, said("x")),
  closeSession: ({ sessions }, key) => sessions.closeSession(key),
  applyStateDelta: ({ sessions }, key) =>
    sessions.applyStateDelta({ ...key, stateDelta: { a: 1 }, author: "user", invocationId: "i" }),
  begin: ({ journal }, session) => started(journal, "new", { session }),
  finish: ({ journal }, session) =>
    journal.finish({ lease: leaseOf(session), afterRevision: 0, events: [], status: "failed" }),
  renew: ({ journal }, session) => journal.renew(leaseOf(session), LEASE_MS),
  listRuns: ({ journal }, session) => journal.list({ session }),
  getHeads: ({ journal }, session) => journal.getHeads([session]),
  saveArtifact: ({ artifacts }, key) => artifacts.saveArtifact({ ...toArtifact(key), artifact: PART }),
  loadArtifact: ({ artifacts }, key) => artifacts.loadArtifact(toArtifact(key)),
  listArtifactKeys: ({ artifacts }, key) => artifacts.listArtifactKeys(key),
  listVersions: ({ artifacts }, key) => artifacts.listVersions(toArtifact(key)),
  listArtifactVersions: ({ artifacts }, key) => artifacts.listArtifactVersions(toArtifact(key)),
  getArtifactVersion: ({ artifacts }, key) => artifacts.getArtifactVersion(toArtifact(key)),
  deleteArtifact: ({ artifacts }, key) => artifacts.deleteArtifact(toArtifact(key)),
  deleteSessionArtifacts: ({ artifacts }, key) => artifacts.deleteSessionArtifacts(key),
  addSessionToMemory: ({ memory }, key) =>
    memory.addSessionToMemory({ ...key, state: {}, events: [said("x")], lastUpdateTime: 0, revision: 1 }),
  addMemoryEntries: ({ memory }, key) => memory.addMemoryEntries(key, [{ content: { parts: [{ text: "tea" }] } }]),
  searchMemory: ({ memory }, key) => memory.searchMemory(key, "tea"),
  deleteSessionMemory: ({ memory }, key) => memory.deleteSessionMemory(key, key.id),
};

function leaseOf(session: Key) {
  return { runId: "run", session, holder: "runner 1", epoch: 1, expiresAt: 0 };
}

function toArtifact(session: Key) {
  return { session, filename: "note" };
}

describe("what belongs to a user", () => {
  it.each(Object.entries(CALLS))("is out of reach for others: %s", async (_, call) => {
    await using world = await startWorld();
    await world.stores.sessions.createSession(FOREIGN);
    await started(world.stores.sessions, "run", { session: FOREIGN });
    await world.stores.artifacts.saveArtifact({ ...toArtifact(FOREIGN), artifact: PART });
    const before = await snapshotOf(world.stores);
    const refused = { reason: "FOREIGN_OWNER", httpStatus: 404 };
    await expect(inCallScope({ principal: MINE }, () => call(world.gateway, FOREIGN))).rejects.toMatchObject(refused);
    const otherApp = { ...KEY, appName: "other" };
    const elsewhere = inCallScope({ principal: ALL_OF_APP }, () => call(world.gateway, otherApp));
    await expect(elsewhere).rejects.toMatchObject(refused);
    expect(await snapshotOf(world.stores)).toEqual(before);
  });

  it.each(Object.entries(CALLS))("is within reach for its user, and for who acts for all: %s", async (_, call) => {
    for (const principal of [MINE, ALL_OF_APP]) {
      await using world = await startWorld();
      await world.stores.sessions.createSession(KEY);
      if (call !== CALLS["begin"]) await started(world.stores.sessions, "run");
      const reached = inCallScope({ principal }, () => call(world.gateway, KEY));
      expect(
        await reached.then(
          () => "done",
          (error: { reason: string }) => error.reason,
        ),
      ).toBe("done");
    }
  });

  it("is listed over all apps for its user, and only for that", async () => {
    await using world = await startWorld();
    await world.stores.sessions.createSession(KEY);
    await started(world.stores.sessions, "run");
    const { userId } = KEY;
    const list = (request: ListRunsRequest) =>
      inCallScope({ principal: { tenantId: DEFAULT_TENANT, userId, scopes: [] } }, () =>
        world.gateway.journal.list(request),
      );
    expect((await list({ userId })).runs.map(({ runId }) => runId)).toEqual(["run"]);
    for (const request of [{}, { userId: FOREIGN.userId }, { appName: KEY.appName }])
      await expect(list(request)).rejects.toMatchObject({ reason: "FOREIGN_OWNER" });
  });

  it("is out of reach for a call that does not say for whom it is made", async () => {
    await using world = await startWorld();
    for (const call of Object.values(CALLS))
      await expect(call(world.gateway, KEY)).rejects.toMatchObject({ reason: "PRINCIPAL_INVALID", httpStatus: 502 });
  });
});

async function snapshotOf({ sessions, artifacts, memory }: Awaited<ReturnType<typeof startWorld>>["stores"]) {
  return {
    sessions: await Promise.all([KEY, FOREIGN, { ...KEY, appName: "other" }].map((key) => sessions.listSessions(key))),
    session: await sessions.getSession(FOREIGN),
    runs: await sessions.list({}),
    artifacts: await artifacts.listArtifactVersions(toArtifact(FOREIGN)),
    memories: await memory.searchMemory(FOREIGN, "tea x"),
  };
}

describe("runs that are named by their ids", () => {
  it("look like none to others, and cannot be cancelled by them", async () => {
    await using world = await startWorld();
    const { sessions } = world.stores;
    await sessions.createSession(FOREIGN);
    await started(sessions, "run", { session: FOREIGN });
    const { journal } = world.gateway;
    const asMe = <Result>(work: () => Promise<Result>) => inCallScope({ principal: MINE }, work);
    expect(await asMe(() => journal.get("run"))).toBeUndefined();
    const cancelled = asMe(() => journal.cancel("run"));
    const missing = asMe(() => journal.cancel("none"));
    await expect(cancelled).rejects.toMatchObject({ reason: "RUN_NOT_FOUND", details: { runId: "run" } });
    await expect(missing).rejects.toMatchObject({ reason: "RUN_NOT_FOUND", details: { runId: "none" } });
    await expect(asMe(() => journal.list({ appName }))).rejects.toMatchObject({ reason: "FOREIGN_OWNER" });
    expect(await sessions.get("run")).toMatchObject({ cancelRequested: false });
    const forAll = inCallScope({ principal: ALL_OF_APP }, () => journal.cancel("run"));
    expect(await forAll).toMatchObject({ cancelRequested: true });
    const listed = await inCallScope({ principal: ALL_OF_APP }, () => journal.list({ appName }));
    expect(listed.runs).toMatchObject([{ runId: "run" }]);
  });
});

describe("the heads of several sessions", () => {
  it("are returned only to callers who may reach all of them", async () => {
    await using world = await startWorld();
    const elsewhere = { ...KEY, appName: "other" };
    for (const key of [KEY, FOREIGN, elsewhere]) await world.stores.sessions.createSession(key);
    const headsFor = async (principal: Principal, keys: readonly Key[]): Promise<unknown> => {
      const asked = inCallScope({ principal }, () => world.gateway.journal.getHeads(keys));
      return asked.then(
        (heads) => heads.map((head) => head?.revision),
        ({ reason }: { reason: string }) => reason,
      );
    };
    expect(await headsFor(MINE, [KEY, KEY])).toEqual([0, 0]);
    expect(await headsFor(MINE, [KEY, FOREIGN])).toBe("FOREIGN_OWNER");
    expect(await headsFor(ALL_OF_APP, [KEY, FOREIGN])).toEqual([0, 0]);
    expect(await headsFor(ALL_OF_APP, [KEY, elsewhere])).toBe("FOREIGN_OWNER");
    expect(await headsFor({ tenantId: DEFAULT_TENANT, scopes: [EVERY_USER_SCOPE] }, [KEY, FOREIGN, elsewhere])).toEqual(
      [0, 0, 0],
    );
  });
});

describe("what runs ask for by the pipe that all of them share", () => {
  it("is kept to its session by its lease, and to its user by its principal", async () => {
    await using world = await startWorld();
    const { sessions } = world.stores;
    await sessions.createSession(KEY);
    await sessions.createSession(FOREIGN);
    await started(sessions, "theirs", { session: FOREIGN });
    const runner = world.connect(world.files.withPrincipals("runner"));
    const append = (session: Key, runId: string) =>
      runner.journal.append({
        lease: { ...leaseOf(session), runId },
        leaseMs: LEASE_MS,
        afterRevision: 0,
        events: [record("a")],
      });
    await inCallScope({ principal: MINE }, () => started(runner.journal, "mine"));
    expect((await inCallScope({ principal: MINE }, () => append(KEY, "mine"))).revision).toBe(1);
    await expect(append(FOREIGN, "mine")).rejects.toMatchObject({ reason: "LEASE_LOST" });
    const foreign = { reason: "FOREIGN_OWNER", httpStatus: 404 };
    const asMe = <Result>(work: () => Promise<Result>) => inCallScope({ principal: MINE }, work);
    await expect(asMe(() => append(FOREIGN, "theirs"))).rejects.toMatchObject(foreign);
    await expect(asMe(() => started(runner.journal, "theirs", { session: FOREIGN }))).rejects.toMatchObject(foreign);
    expect((await sessions.getSession(FOREIGN))?.events).toEqual([]);
  });
});

describe("the pipe", () => {
  it("is opened without a principal, and each request is checked by its own", async () => {
    await using world = await startWorld();
    const { sessions } = world.stores;
    await sessions.createSession(FOREIGN);
    const { lease } = await started(sessions, "run", { session: FOREIGN });
    const methods = loadProto("runJournal").fairlead.session.v1.RunJournalService.service;
    const gateway = world.files.withPrincipals("gateway");
    await using peer = new GrpcPeer({ ...peerAt(world.ports.session, gateway, "session"), name: "session", methods });
    const append = toAppendMessage({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("a")] });
    const sign = (principal: Principal) =>
      inCallScope({ principal }, () => gateway.peer("session").facts?.(methods.AppendEvents.path)?.principal ?? "");
    const answersTo = async (principal: string) => {
      const messages = peer.exchange(methods.JournalPipe, [{ requests: [{ number: 1, append, principal }] }]);
      return (await Array.fromAsync(messages)).flatMap(({ answers }) => answers);
    };
    expect(await answersTo("")).toMatchObject([{ number: 1, failure: { reason: "PRINCIPAL_INVALID" } }]);
    expect(await answersTo(sign(MINE))).toMatchObject([{ number: 1, failure: { reason: "FOREIGN_OWNER" } }]);
    expect((await sessions.getSession(FOREIGN))?.events).toEqual([]);
    const forAll = sign({ tenantId: DEFAULT_TENANT, scopes: [EVERY_USER_SCOPE] });
    expect(await answersTo(forAll)).toMatchObject([{ number: 1, appended: { revision: "1" } }]);
  });
});

describe("principals", () => {
  it("are refused when they have expired, and under another key", async () => {
    await using world = await startWorld();
    const past = new FixedClock(systemClock.now() - 600_000);
    const late = world.connect(world.files.withPrincipals("gateway", { clock: past }));
    const strange = world.connect(world.files.withPrincipals("gateway", { key: "other.key" }));
    const create = ({ sessions }: Remotes) => inCallScope({ principal: MINE }, () => sessions.createSession(KEY));
    await expect(create(late)).rejects.toMatchObject({ reason: "PRINCIPAL_EXPIRED", httpStatus: 502 });
    await expect(create(strange)).rejects.toMatchObject({ reason: "PRINCIPAL_INVALID", httpStatus: 502 });
    expect(await world.stores.sessions.getSession(KEY)).toBeUndefined();
  });

  it("keep evaluations to their app, which belong to no user", async () => {
    await using world = await startWorld();
    const { evaluations } = world.gateway;
    const create = (name: string) =>
      inCallScope({ principal: MINE }, () => evaluations.createEvalSet({ appName: name, evalSetId: "set" }));
    expect(await create(appName)).toMatchObject({ evalSetId: "set" });
    await expect(create("other")).rejects.toMatchObject({ reason: "FOREIGN_OWNER" });
    expect(await world.stores.evaluations.listEvalSets({ appName: "other" })).toEqual([]);
  });

  it("are the runner's own where it works for no run", async () => {
    await using world = await startWorld();
    await world.stores.sessions.createSession(FOREIGN);
    await started(world.stores.sessions, "run", { session: FOREIGN });
    const runner = world.connect(world.files.withPrincipals("runner"));
    expect((await runner.journal.list({})).runs).toMatchObject([{ runId: "run" }]);
    const forRun = inCallScope({ principal: MINE }, () => runner.journal.list({}));
    await expect(forRun).rejects.toMatchObject({ reason: "FOREIGN_OWNER" });
  });

  it("are checked for each message of a stream: a later one cannot name somebody else", async () => {
    await using world = await startWorld();
    const methods = loadProto("artifact").fairlead.artifact.v1.ArtifactService.service;
    const peer = peerAt(world.ports.artifact, world.files.withPrincipals("gateway"), "artifact");
    await using artifact = new GrpcPeer({ ...peer, name: "artifact", methods });
    const headerFor = (session: Key) => ({
      header: {
        key: { session, filename: "note" },
        artifact: { partJson: Buffer.from(JSON.stringify(PART)) },
      },
    });
    const saved = inCallScope({ principal: MINE }, () =>
      artifact.clientStream(methods.SaveArtifact, [headerFor(KEY), headerFor(FOREIGN)]),
    );
    await expect(saved).rejects.toMatchObject({ reason: "FOREIGN_OWNER" });
    for (const key of [KEY, FOREIGN])
      expect(await world.stores.artifacts.listVersions(toArtifact(key))).toEqual({ versions: [] });
  });
});
