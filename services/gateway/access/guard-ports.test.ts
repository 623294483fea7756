import { describe, expect, it } from "vitest";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { InMemoryIdempotencyStore } from "#ports/idempotency/in-memory-idempotency-store.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";
import type { GatewayDeps } from "../deps.ts";
import { guardPorts } from "./guard-ports.ts";

const ADA: Principal = { tenantId: DEFAULT_TENANT, userId: "ada", scopes: [] };
const BOBS = { appName: "echo", userId: "bob", id: "talk" };
const FILE = { session: BOBS, filename: "a.txt" };
const FOREIGN = { reason: "FOREIGN_OWNER" };
const SIGNAL = new AbortController().signal;

/** A gateway's ports in memory with a session and a run of bob, and the same ports guarded. */
async function startGuarded() {
  const clock = new FixedClock();
  const world = await startGateway({
    deps: {
      memoryService: new InMemoryMemoryService({ clock, ids: new SequentialIds("memory") }),
      evalStore: new InMemoryEvalStore({ clock }),
      artifactService: new InMemoryArtifactService({ clock }),
      idempotencyStore: new InMemoryIdempotencyStore({ clock }),
      builder: { read: async () => "text", save: async () => true, cancel: async () => true },
    },
  });
  await world.store.createSession(BOBS);
  const run = await world.deps.runnerService.startRun({ session: BOBS, request: {} });
  return { world, run, guarded: guardPorts(world.deps) };
}

/** Each method of each guarded port with arguments of bob, and what a caller gets for whom they are foreign. */
function foreignCalls(
  deps: GatewayDeps,
  { runId }: RunRecord,
): Readonly<Record<string, readonly [() => unknown, unknown]>> {
  const { sessionService, runJournal, artifactService, memoryService, runnerService, runStream } = deps;
  const notFound = { reason: "RUN_NOT_FOUND" };
  const session = { ...BOBS, state: {}, events: [], lastUpdateTime: 0, revision: 0 };
  const delta = { ...BOBS, stateDelta: {}, author: "user", invocationId: "i" };
  // Refused before the event is read.
  const event = {} as Parameters<typeof sessionService.appendEvent>[1];
  return {
    createSession: [() => sessionService.createSession(BOBS), FOREIGN],
    getSession: [() => sessionService.getSession(BOBS), FOREIGN],
    listSessions: [() => sessionService.listSessions(BOBS), FOREIGN],
    deleteSession: [() => sessionService.deleteSession(BOBS), FOREIGN],
    listEvents: [() => sessionService.listEvents(BOBS), FOREIGN],
    listEventRecords: [() => sessionService.listEventRecords(BOBS), FOREIGN],
    appendEvent: [() => sessionService.appendEvent(session, event), FOREIGN],
    closeSession: [() => sessionService.closeSession(BOBS), FOREIGN],
    applyStateDelta: [() => sessionService.applyStateDelta(delta), FOREIGN],
    listRuns: [() => runJournal.list({ userId: "bob" }), FOREIGN],
    "list runs of a session": [() => runJournal.list({ session: BOBS }), FOREIGN],
    getHeads: [() => runJournal.getHeads([{ ...BOBS, userId: "ada" }, BOBS]), FOREIGN],
    cancel: [() => runJournal.cancel(runId), notFound],
    startRun: [() => runnerService.startRun({ session: BOBS, request: {} }), FOREIGN],
    cancelRun: [() => runnerService.cancelRun(runId), notFound],
    subscribe: [() => Array.fromAsync(runStream.subscribe(runId, { signal: SIGNAL })), notFound],
    watch: [async () => runStream.watch(BOBS, () => {}), FOREIGN],
    announce: [async () => runStream.announce(BOBS), FOREIGN],
    saveArtifact: [() => artifactService.saveArtifact({ ...FILE, artifact: { text: "x" } }), FOREIGN],
    loadArtifact: [() => artifactService.loadArtifact(FILE), FOREIGN],
    listArtifactKeys: [() => artifactService.listArtifactKeys(BOBS), FOREIGN],
    listVersions: [() => artifactService.listVersions(FILE), FOREIGN],
    listArtifactVersions: [() => artifactService.listArtifactVersions(FILE), FOREIGN],
    getArtifactVersion: [() => artifactService.getArtifactVersion(FILE), FOREIGN],
    deleteArtifact: [() => artifactService.deleteArtifact(FILE), FOREIGN],
    deleteSessionArtifacts: [() => artifactService.deleteSessionArtifacts(BOBS), FOREIGN],
    addSessionToMemory: [() => memoryService.addSessionToMemory(session), FOREIGN],
    addMemoryEntries: [() => memoryService.addMemoryEntries(BOBS, []), FOREIGN],
    searchMemory: [() => memoryService.searchMemory(BOBS, "x"), FOREIGN],
    deleteSessionMemory: [() => memoryService.deleteSessionMemory(BOBS, "talk"), FOREIGN],
    "traces by event": [() => deps.traceStore.byEvent({ userId: "bob" }, "e"), FOREIGN],
    "traces by session": [() => deps.traceStore.bySession({ userId: "bob" }, "talk"), FOREIGN],
  };
}

/** The methods that reach data of an app, for a caller who may not use it. */
function closedAppCalls({ evalStore, builder, runnerService }: GatewayDeps): readonly (() => Promise<unknown>)[] {
  const set = { appName: "echo", evalSetId: "s" };
  const evalCase = { evalId: "c", conversation: [] };
  const result: Parameters<typeof evalStore.saveEvalSetResult>[1] = {
    ...{ evalSetResultId: "r", evalSetResultName: "r", evalSetId: "s", evalCaseResults: [], creationTimestamp: 0 },
  };
  return [
    () => evalStore.createEvalSet(set),
    () => evalStore.listEvalSets({ appName: "echo" }),
    () => evalStore.getEvalSet(set),
    () => evalStore.deleteEvalSet(set),
    () => evalStore.listEvalCases(set),
    () => evalStore.getEvalCase({ ...set, evalId: "c" }),
    () => evalStore.addEvalCase(set, evalCase),
    () => evalStore.updateEvalCase(set, evalCase),
    () => evalStore.deleteEvalCase({ ...set, evalId: "c" }),
    () => evalStore.saveEvalSetResult({ appName: "echo" }, result),
    () => evalStore.listEvalSetResults({ appName: "echo" }),
    () => evalStore.getEvalSetResult({ appName: "echo" }, "r"),
    async () => builder?.read("echo", { temporary: false }),
    async () => builder?.save("echo", new Map(), { temporary: false }),
    async () => builder?.cancel("echo"),
    () => runnerService.describeApp("echo"),
  ];
}

/** A pending run of bob for each app, in this order. */
async function beginRuns({ store, deps }: GatewayWorld, apps: readonly string[]): Promise<void> {
  for (const appName of apps) {
    const session = { appName, userId: "bob", id: `s-${appName}` };
    if ((await store.getSession(session)) === undefined) await store.createSession(session);
    const runId = deps.ids.next();
    await store.begin({
      ...{ runId, session, invocationId: runId, request: {}, policy: "enqueue", holder: "h" },
      ...{ leaseMs: 1000, haveRevision: 0 },
    });
  }
}

const SHOPPER = {
  tenantId: DEFAULT_TENANT,
  userId: "bob",
  scopes: [],
  mayUse: (appName: string) => appName === "shop",
};

describe("the ports of requests", () => {
  it("reach nothing of another user, whichever method a route calls", async () => {
    verifies("authentication:foreign-user");
    const { world, guarded, run } = await startGuarded();
    await using _ = world;
    await inCallScope({ principal: ADA }, async () => {
      for (const [name, [call, refusal]] of Object.entries(foreignCalls(guarded, run)))
        await expect(call(), name).rejects.toMatchObject(refusal as object);
      expect(await guarded.runJournal.get(run.runId)).toBe(undefined);
      expect(await guarded.runJournal.list({})).toEqual({ runs: [] });
    });
  });

  it("reach what is the caller's own, and everything with the scope for it", async () => {
    const { world, guarded, run } = await startGuarded();
    await using _ = world;
    for (const principal of [
      { tenantId: DEFAULT_TENANT, userId: "bob", scopes: [] },
      { tenantId: DEFAULT_TENANT, scopes: ["users:all"] },
    ])
      await inCallScope({ principal }, async () => {
        expect((await guarded.sessionService.getSession(BOBS))?.id).toBe("talk");
        expect((await guarded.runJournal.get(run.runId))?.runId).toBe(run.runId);
        expect((await guarded.runJournal.list({})).runs.map(({ runId }) => runId)).toEqual([run.runId]);
        const batches = await Array.fromAsync(guarded.runStream.subscribe(run.runId, { signal: SIGNAL }));
        expect(batches.flat().at(-1)?.kind).toBe("end");
      });
  });

  it("reach nothing of an app that the caller may not use", async () => {
    verifies("authentication:apps");
    const { world, guarded, run } = await startGuarded();
    await using _ = world;
    const principal = {
      tenantId: DEFAULT_TENANT,
      userId: "bob",
      scopes: [],
      mayUse: (appName: string) => appName !== "echo",
    };
    await inCallScope({ principal }, async () => {
      for (const call of closedAppCalls(guarded))
        await expect(call(), String(call)).rejects.toMatchObject({ httpStatus: 404 });
      await expect(guarded.sessionService.getSession(BOBS)).rejects.toMatchObject(FOREIGN);
      expect(await guarded.runJournal.get(run.runId)).toBe(undefined);
      expect(await guarded.runJournal.list({})).toEqual({ runs: [] });
      expect(await guarded.runnerService.listApps()).toEqual([]);
      expect(await guarded.traceStore.bySession({}, "talk")).toEqual([]);
    });
  });

  it("reach nothing outside of a request, and nothing for a caller without a user", async () => {
    const { world, guarded, run } = await startGuarded();
    await using _ = world;
    await expect(guarded.sessionService.getSession(BOBS)).rejects.toMatchObject({ reason: "INTERNAL" });
    await expect(guarded.runJournal.get(run.runId)).rejects.toMatchObject({ reason: "INTERNAL" });
    await inCallScope({ principal: { tenantId: DEFAULT_TENANT, scopes: [] } }, async () => {
      await expect(guarded.runJournal.list({})).rejects.toMatchObject(FOREIGN);
      expect(await guarded.traceStore.bySession({}, "talk")).toEqual([]);
      expect(await guarded.traceStore.byEvent({}, "e")).toBe(undefined);
    });
  });

  it("keep idempotency keys of users apart, even if a route makes the same name of them", async () => {
    const { world, guarded } = await startGuarded();
    await using _ = world;
    const claim = (userId: string) =>
      inCallScope({ principal: { tenantId: DEFAULT_TENANT, userId, scopes: [] } }, () =>
        guarded.idempotencyStore.claim("key", "print"),
      );
    expect([await claim("ada"), await claim("bob")]).toEqual([undefined, undefined]);
    expect(await claim("ada")).toMatchObject({ fingerprint: "print" });
  });

  it("put the keys and traces of a caller into the caller's tenant, whatever a route names", async () => {
    const { world, guarded } = await startGuarded();
    await using _ = world;
    const of = (tenantId: string) => ({ principal: { tenantId, userId: "bob", scopes: ["users:all"] } });
    const span = { name: "s", traceId: "t", spanId: "s", startTime: 1, endTime: 2, attributes: {} };
    await world.deps.traceStore.record({ ...BOBS, tenantId: "acme" }, [span]);
    const outcome = async () => ({
      known: await guarded.idempotencyStore.claim("key", "print"),
      spans: await guarded.traceStore.bySession({ tenantId: "acme" }, BOBS.id),
    });
    expect(await inCallScope(of("acme"), outcome)).toEqual({ known: undefined, spans: [span] });
    expect(await inCallScope(of("globex"), outcome)).toEqual({ known: undefined, spans: [] });
    expect(await inCallScope(of("acme"), outcome)).toMatchObject({ known: { fingerprint: "print" } });
  });

  it("fill the pages of a list of runs with those of the apps that the caller may use", async () => {
    const { world, guarded } = await startGuarded();
    await using _ = world;
    await beginRuns(world, ["shop", "bank", "shop", "bank", "bank", "shop", "bank"]);
    await inCallScope({ principal: SHOPPER }, async () => {
      const first = await guarded.runJournal.list({ pageSize: 2 });
      expect(first.runs.map(({ session }) => session.appName)).toEqual(["shop", "shop"]);
      const { nextPageToken = "" } = first;
      const second = await guarded.runJournal.list({ pageSize: 2, pageToken: nextPageToken });
      expect(second.runs.map(({ session }) => session.appName)).toEqual(["shop"]);
      const all = [...first.runs, ...second.runs].map(({ runId }) => runId);
      expect(new Set(all).size).toBe(3);
    });
  });

  it("read a bounded number of pages of other apps' runs, and then name the place of the next page", async () => {
    const { world, guarded } = await startGuarded();
    await using _ = world;
    await beginRuns(world, ["shop", ...Array.from({ length: 11 }, () => "bank")]);
    await inCallScope({ principal: SHOPPER }, async () => {
      const { runs, nextPageToken = "" } = await guarded.runJournal.list({ pageSize: 1 });
      expect(runs).toEqual([]);
      const next = await guarded.runJournal.list({ pageSize: 1, pageToken: nextPageToken });
      expect(next.runs.map(({ session }) => session.appName)).toEqual(["shop"]);
    });
  });
});
