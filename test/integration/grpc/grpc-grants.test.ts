import { describe, expect, it, vi } from "vitest";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { newStreamKey } from "#ports/sessions/stream-key.ts";
import { type CallScope, inCallScope, type RunCredentials } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";
import { beginRequest, KEY, LEASE_MS, record, said, started } from "#test/contract/sessions/session-world.ts";
import { startRunner } from "#test/helpers/security/granted-runner.ts";
import { peerAt } from "#test/helpers/security/security-files.ts";

const NOT_FOUND = { reason: "RUN_NOT_FOUND" };
const FOREIGN = { reason: "FOREIGN_OWNER" };
const INVALID = { reason: "PRINCIPAL_INVALID" };
const PART = { inlineData: { mimeType: "text/plain", data: "aGk=" } };

/** A scope of a run that no gateway has asked this runner for. */
function upkeep(): CallScope & { readonly credentials: RunCredentials } {
  return { credentials: {} };
}

async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "done",
    ({ reason }: { readonly reason: string }) => reason,
  );
}

describe("a run that a gateway has started", () => {
  it("reaches its session, its user's files and memory, and its own record", async () => {
    await using world = await startRunner();
    const { runner, stores } = world;
    const scope = world.startOf(KEY);
    await inCallScope(scope, async () => {
      const { lease } = await started(runner.journal, "mine");
      expect(scope.credentials.grant).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      await runner.journal.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("a")] });
      expect((await runner.sessions.listEventRecords(KEY)).events.map(({ id }) => id)).toEqual(["a"]);
      await runner.artifacts.saveArtifact({ session: KEY, filename: "note", artifact: PART });
      await runner.artifacts.saveArtifact({ session: KEY, filename: "user:note", artifact: PART });
      expect(await runner.artifacts.listArtifactKeys(KEY)).toEqual({ filenames: ["note", "user:note"] });
      await runner.memory.addSessionToMemory({
        ...{ ...KEY, state: {}, events: [said("tea")], lastUpdateTime: 0, revision: 1 },
      });
      expect((await runner.memory.searchMemory(KEY, "tea")).memories.length).toBe(1);
      expect((await runner.journal.get("mine"))?.status).toBe("running");
      await runner.journal.renew(lease, LEASE_MS);
      await runner.journal.finish({ lease, afterRevision: 1, events: [record("b")], status: "succeeded" });
    });
    expect((await stores.sessions.getSession(KEY))?.events.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("keeps its grant as long as it keeps its lease, and no longer", async () => {
    await using world = await startRunner();
    const { runner, clock } = world;
    const scope = world.startOf(KEY);
    await inCallScope(scope, async () => {
      let { lease } = await started(runner.journal, "mine");
      const first = scope.credentials.grant;
      for (let seconds = 0; seconds < 600; seconds += 5) {
        clock.advance(5000);
        if (seconds % 10 === 0) lease = (await runner.journal.renew(lease, LEASE_MS)).lease;
        else {
          const id = `e${seconds}`;
          const revision = (await world.stores.sessions.getSession(KEY))?.revision ?? 0;
          const events = [record(id)];
          ({ lease } = await runner.journal.append({ lease, leaseMs: LEASE_MS, afterRevision: revision, events }));
        }
      }
      expect(scope.credentials.grant).not.toBe(first);
      expect(await runner.artifacts.listArtifactKeys(KEY)).toEqual({ filenames: [] });
      clock.advance(120_000);
      const late = { reason: "PRINCIPAL_EXPIRED" };
      await expect(runner.artifacts.listArtifactKeys(KEY)).rejects.toMatchObject(late);
      await expect(runner.journal.renew(lease, LEASE_MS)).rejects.toMatchObject(late);
    });
  });

  it("starts only in the session for which it was started, and only by what a gateway signed for that", async () => {
    await using world = await startRunner();
    const { runner, stores, sign } = world;
    const other = { ...KEY, id: "other" };
    await stores.sessions.createSession(other);
    const begin = (scope: CallScope, session: SessionKey) =>
      reasonOf(inCallScope(scope, () => started(runner.journal, "new", { session })));
    expect(await begin(world.startOf(KEY), other)).toBe("FOREIGN_OWNER");
    expect(await begin(world.startOf({ ...KEY, tenantId: "acme" }), KEY)).toBe("FOREIGN_OWNER");
    const names = { tenantId: "default", appName: KEY.appName, userId: KEY.userId };
    for (const principal of [
      { ...names, scopes: [] },
      { tenantId: "default", scopes: ["users:all"] },
      { tenantId: "default", scopes: ["users:all"], runId: "new" },
    ])
      expect(await begin({ credentials: { principal: sign(principal) } }, KEY)).toBe("PRINCIPAL_INVALID");
    expect((await stores.sessions.list({})).runs).toEqual([]);
    expect(await begin(world.startOf(KEY), KEY)).toBe("done");
  });

  it("reads its session before it begins, which an answer to a waiting call needs", async () => {
    await using world = await startRunner();
    const { runner } = world;
    const read = (session: SessionKey) =>
      inCallScope(world.startOf(KEY), () => runner.sessions.listEventRecords(session));
    expect((await read(KEY)).events).toEqual([]);
    await expect(read({ ...KEY, id: "other" })).rejects.toMatchObject(FOREIGN);
  });
});

describe("a runner without a principal", () => {
  it("begins no new run, creates no session, and finds none by an idempotency key", async () => {
    await using world = await startRunner();
    const { runner, stores } = world;
    await started(stores.sessions, "theirs", { idempotencyKey: "once", holder: "runner 2" });
    const before = await stores.sessions.list({});
    const begin = (overrides: Parameters<typeof beginRequest>[1]) =>
      inCallScope(upkeep(), () => runner.journal.begin(beginRequest("new", overrides)));
    await expect(begin({})).rejects.toMatchObject(NOT_FOUND);
    await expect(begin({ idempotencyKey: "once" })).rejects.toMatchObject(NOT_FOUND);
    const missing = { ...KEY, id: "missing" };
    const creating = begin({ session: missing, request: { autoCreateSession: true } });
    await expect(creating).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
    expect(await stores.sessions.getSession(missing)).toBeUndefined();
    expect(await stores.sessions.list({})).toEqual(before);
  });

  it("gets a run whose lease has expired, with a grant, and before that nothing of it", async () => {
    await using world = await startRunner();
    const { runner, stores, clock } = world;
    await started(stores.sessions, "lost", { holder: "runner 2" });
    const scope = upkeep();
    await inCallScope(scope, async () => {
      for (const holder of ["runner 1", "runner 2"]) {
        const early = await runner.journal.begin(beginRequest("lost", { holder }));
        expect(early).toMatchObject({ kind: "existing", run: { runId: "lost", request: {} } });
      }
      expect(scope.credentials.grant).toBeUndefined();
      expect(await runner.journal.get("lost")).toBeUndefined();
      clock.advance(LEASE_MS);
      const { lease, run } = await started(runner.journal, "lost");
      expect([run.attempts, run.request.newMessage]).toEqual([2, { role: "user", parts: [{ text: "lost" }] }]);
      await runner.journal.finish({ lease, afterRevision: 0, events: [record("a")], status: "succeeded" });
    });
    expect((await stores.sessions.getSession(KEY))?.events.map(({ id }) => id)).toEqual(["a"]);
  });

  it("lists the runs that no runner holds, and those of a holder that it names only then", async () => {
    await using world = await startRunner();
    const { runner, stores, clock } = world;
    await started(stores.sessions, "theirs", { holder: "runner 2" });
    const request = { minAgeMs: 0, holder: "runner 2", limit: 10 };
    const list = () => inCallScope(upkeep(), () => runner.journal.listAbandoned(request));
    expect(await list()).toEqual([]);
    clock.advance(LEASE_MS);
    expect((await list()).map(({ runId }) => runId)).toEqual(["theirs"]);
  });

  it("waits with a run that is pending, for which it may do nothing else", async () => {
    await using world = await startRunner();
    const { runner, stores } = world;
    const { lease } = await started(stores.sessions, "first", { holder: "runner 2" });
    await stores.sessions.begin(beginRequest("second"));
    const scope = upkeep();
    await inCallScope(scope, async () => {
      expect((await runner.journal.get("second"))?.status).toBe("pending");
      expect(await runner.journal.begin(beginRequest("second"))).toMatchObject({ kind: "queued", behind: "first" });
      expect(scope.credentials.grant).toBeDefined();
      for (const refused of [
        () => runner.sessions.listEventRecords(KEY),
        () => runner.sessions.appendEvent({ ...KEY, state: {}, events: [], lastUpdateTime: 0, revision: 0 }, said("x")),
        () => runner.journal.begin(beginRequest("third")),
      ])
        await expect(refused()).rejects.toMatchObject(FOREIGN);
      await expect(runner.artifacts.listArtifactKeys(KEY)).rejects.toMatchObject(INVALID);
      await expect(runner.memory.searchMemory(KEY, "x")).rejects.toMatchObject(INVALID);
      await stores.sessions.finish({ lease, afterRevision: 0, events: [], status: "succeeded" });
      expect((await runner.journal.begin(beginRequest("second"))).kind).toBe("started");
      expect((await runner.sessions.listEventRecords(KEY)).events).toEqual([]);
    });
  });

  it("begins a run that has waited for longer than its grant lives, and does nothing else with that grant", async () => {
    await using world = await startRunner();
    const { runner, stores, clock } = world;
    const { lease } = await started(stores.sessions, "first", { holder: "runner 2" });
    const scope = world.startOf(KEY);
    await inCallScope(scope, async () => {
      expect((await runner.journal.begin(beginRequest("second"))).kind).toBe("queued");
      const first = scope.credentials.grant;
      clock.advance(121_000);
      await stores.sessions.finish({ lease, afterRevision: 0, events: [], status: "succeeded" });
      await expect(runner.journal.cancel("second")).rejects.toMatchObject({ reason: "PRINCIPAL_EXPIRED" });
      await expect(runner.journal.begin(beginRequest("third"))).rejects.toMatchObject(NOT_FOUND);
      expect((await runner.journal.get("second"))?.status).toBe("pending");
      expect((await runner.journal.begin(beginRequest("second"))).kind).toBe("started");
      expect(scope.credentials.grant).not.toBe(first);
      expect((await runner.sessions.listEventRecords(KEY)).events).toEqual([]);
    });
  });

  it("learns why a run that it waited with was never executed, and not its content", async () => {
    await using world = await startRunner();
    const { runner, stores } = world;
    await started(stores.sessions, "first", { holder: "runner 2" });
    const streamKey = newStreamKey();
    await stores.sessions.begin(beginRequest("second", { streamKey }));
    await stores.sessions.begin(beginRequest("third", { policy: "interrupt" }));
    const again = await inCallScope(upkeep(), () => runner.journal.begin(beginRequest("second")));
    const error = (await stores.sessions.get("second"))?.error;
    expect(error).toBeDefined();
    expect(again).toMatchObject({ kind: "existing", run: { status: "cancelled", request: {}, error, streamKey } });
  });

  it("learns with its waiting run's grant that the run was cancelled, and may cancel it itself", async () => {
    await using world = await startRunner();
    const { runner, stores } = world;
    await started(stores.sessions, "first", { holder: "runner 2" });
    for (const runId of ["second", "third"]) await stores.sessions.begin(beginRequest(runId));
    await inCallScope(upkeep(), async () => {
      await runner.journal.begin(beginRequest("second"));
      await stores.sessions.cancel("second");
      expect((await runner.journal.get("second"))?.status).toBe("cancelled");
      expect(await runner.journal.begin(beginRequest("second"))).toMatchObject({
        ...{ kind: "existing", run: { status: "cancelled", request: { newMessage: { role: "user" } } } },
      });
      await expect(runner.journal.cancel("third")).rejects.toMatchObject(NOT_FOUND);
    });
    await inCallScope(upkeep(), async () => {
      await expect(runner.journal.cancel("third")).rejects.toMatchObject(INVALID);
      await runner.journal.begin(beginRequest("third"));
      expect((await runner.journal.cancel("third")).status).toBe("cancelled");
    });
  });

  it("ends no run whose runner keeps the lease, however short it says that a lost run keeps its place", async () => {
    await using world = await startRunner();
    const { runner, stores, clock } = world;
    await started(stores.sessions, "theirs", { holder: "runner 2" });
    await stores.sessions.begin(beginRequest("next"));
    const begin = (times: Partial<ReturnType<typeof beginRequest>>) =>
      inCallScope(upkeep(), () => runner.journal.begin(beginRequest("next", times)));
    for (const [field, times] of [
      ["abandonAfter", { abandonAfterMs: -1e12 }],
      ["leaseDuration", { leaseMs: -1e12 }],
      ["leaseDuration", { leaseMs: 0 }],
      ["leaseDuration", { leaseMs: 3_600_001 }],
    ] as const)
      await expect(begin(times)).rejects.toMatchObject({ reason: "INVALID_FIELD", details: { field } });
    expect((await begin({ abandonAfterMs: 0 })).kind).toBe("queued");
    clock.advance(LEASE_MS);
    expect((await begin({ abandonAfterMs: 0 })).kind).toBe("queued");
    expect((await stores.sessions.get("theirs"))?.status).toBe("running");
    clock.advance(LEASE_MS);
    expect((await begin({ abandonAfterMs: 0 })).kind).toBe("started");
  });

  it("extends its lease by an hour at most", async () => {
    await using world = await startRunner();
    const { runner } = world;
    await inCallScope(world.startOf(KEY), async () => {
      const { lease } = await started(runner.journal, "mine");
      const invalid = { reason: "INVALID_FIELD", details: { field: "leaseDuration" } };
      for (const leaseMs of [3_600_001, 0, -1]) {
        const append = { lease, leaseMs, afterRevision: 0, events: [record("a")] };
        await expect(runner.journal.append(append)).rejects.toMatchObject(invalid);
        await expect(runner.journal.renew(lease, leaseMs)).rejects.toMatchObject(invalid);
      }
      await runner.journal.renew(lease, 3_600_000);
    });
  });

  it("counts more active runs than a page of the store has, and no page is larger", async () => {
    await using world = await startRunner();
    const { runner, stores } = world;
    for (let n = 0; n < 201; n += 1) {
      const session = { ...KEY, id: `session ${n}` };
      await stores.sessions.createSession(session);
      await started(stores.sessions, `run ${n}`, { session });
    }
    const list = vi.spyOn(stores.sessions, "list");
    expect((await runner.journal.list({ appName: KEY.appName })).runs.length).toBe(201);
    expect(list.mock.calls.map(([{ pageSize }]) => pageSize)).toEqual([200, 200]);
  });

  it("counts active runs, and sees nothing else of them", async () => {
    await using world = await startRunner();
    const { runner, stores } = world;
    const others = { ...KEY, userId: "other", id: "secret-session" };
    await stores.sessions.createSession(others);
    await started(stores.sessions, "secret-run", {
      session: others,
      request: { newMessage: { parts: [{ text: "secret" }] } },
    });
    await started(stores.sessions, "mine");
    const { appName, userId } = KEY;
    const list = async (request: object) => (await runner.journal.list(request)).runs;
    const counted = await list({ appName });
    expect(counted.length).toBe(2);
    expect(JSON.stringify(counted)).not.toMatch(/secret|other/);
    expect((await list({ appName, userId, statuses: ["running"] })).length).toBe(1);
    for (const nothing of [{}, { userId }, { session: others }, { appName: "none" }])
      expect(await list(nothing)).toEqual([]);
  });
});

describe("a cancellation that a gateway has requested", () => {
  it("reaches the one run, and nothing else of its user", async () => {
    await using world = await startRunner();
    const { runner, stores, sign } = world;
    await started(stores.sessions, "mine");
    await stores.sessions.begin(beginRequest("next"));
    const principal = sign({ tenantId: "default", scopes: ["users:all"], runId: "mine" });
    const cancelling = <Result>(work: () => Promise<Result>) => inCallScope({ credentials: { principal } }, work);
    await expect(cancelling(() => runner.journal.cancel("next"))).rejects.toMatchObject(NOT_FOUND);
    const refused: readonly (() => Promise<unknown>)[] = [
      () => runner.journal.begin(beginRequest("mine")),
      () => runner.sessions.listEventRecords(KEY),
      () => runner.artifacts.listArtifactKeys(KEY),
    ];
    for (const call of refused) await expect(cancelling(call)).rejects.toMatchObject(INVALID);
    expect((await cancelling(() => runner.journal.cancel("mine"))).cancelRequested).toBe(true);
  });
});

describe("the pipe that all runs of a runner share", () => {
  it("checks each request by the grant that it carries, and refuses one without", async () => {
    await using world = await startRunner();
    const { runner, stores } = world;
    const victim = { ...KEY, userId: "other" };
    await stores.sessions.createSession(victim);
    const theirs = await started(stores.sessions, "theirs", { session: victim });
    const scope = world.startOf(KEY);
    const mine = await inCallScope(scope, () => started(runner.journal, "mine"));
    const append = ({ lease }: typeof mine, using: CallScope) =>
      inCallScope(using, () =>
        reasonOf(runner.journal.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("a")] })),
      );
    expect(await append(theirs, scope)).toBe("FOREIGN_OWNER");
    // The session is the runner's, the run is not.
    const swapped = { ...mine, lease: { ...mine.lease, runId: "theirs" } };
    expect(await append(swapped, scope)).toBe("FOREIGN_OWNER");
    for (const none of [upkeep(), world.startOf(KEY), world.startOf(victim)])
      expect(await append(theirs, none)).toBe("PRINCIPAL_INVALID");
    expect(await append(mine, scope)).toBe("done");
    expect((await stores.sessions.getSession(victim))?.events).toEqual([]);
  });

  it("is for runners only, and takes no gateway's principal for a grant", async () => {
    await using world = await startRunner();
    const { files, clock, ports, stores } = world;
    const theirs = await started(stores.sessions, "theirs");
    const gateway = files.withPrincipals("gateway", { clock });
    const runner = files.withPrincipals("runner", { clock });
    const append = async (caller: typeof gateway, path: string) => {
      const facts = {
        ...caller.peer("session").facts?.(path),
        ...inCallScope({ principal: ALL }, () => ({
          principal: gateway.peer("session").facts?.(GET)?.principal ?? "",
        })),
      };
      await using journal = new RemoteRunJournal({ ...peerAt(ports.session, caller, "session"), facts: () => facts });
      const { lease } = theirs;
      return await reasonOf(journal.append({ lease, leaseMs: 100, afterRevision: 0, events: [record("a")] }));
    };
    expect(await append(gateway, PIPE)).toBe("CALLER_NOT_ALLOWED");
    expect(await append(runner, PIPE)).toBe("PRINCIPAL_INVALID");
    expect((await stores.sessions.getSession(KEY))?.events).toEqual([]);
  });
});

const ALL: Principal = { tenantId: "default", scopes: ["users:all"] };
const GET = "/fairlead.session.v1.SessionService/GetSession";
const PIPE = "/fairlead.session.v1.RunJournalService/JournalPipe";
