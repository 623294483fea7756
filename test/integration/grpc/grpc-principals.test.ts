import { describe, expect, it } from "vitest";
import { GrpcPeer } from "#adapters/grpc/channel/grpc-peer.ts";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { systemClock } from "#kit/platform/clock.ts";
import type { ListRunsRequest } from "#kit/sessions/run-journal.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { ServiceSecurity } from "#shared/grpc/service-security.ts";
import type { ServiceName } from "#shared/security/call-graph.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { EVERY_USER_SCOPE, type Principal } from "#shared/security/principal.ts";
import { KEY, said, started } from "#test/contract/sessions/session-world.ts";
import { peerAt } from "#test/helpers/security/security-files.ts";
import { type BackEnds, type Remotes, startBackEnds } from "#test/helpers/worlds/back-ends-world.ts";

const FOREIGN = { ...KEY, userId: "other" };
const { appName } = KEY;
const MINE: Principal = { tenantId: DEFAULT_TENANT, appName, userId: KEY.userId, scopes: [] };
const ALL_OF_APP: Principal = { tenantId: DEFAULT_TENANT, appName, scopes: [EVERY_USER_SCOPE] };
const PART = { inlineData: { mimeType: "text/plain", data: "aGk=" } };

type Key = typeof KEY;

/** All calls of gateways that read or change a user's data. */
const CALLS: Readonly<Record<string, (remotes: Remotes, key: Key) => Promise<unknown>>> = {
  createSession: ({ sessions }, key) => sessions.createSession({ ...key, id: "new" }),
  getSession: ({ sessions }, key) => sessions.getSession(key),
  listSessions: ({ sessions }, key) => sessions.listSessions(key),
  deleteSession: ({ sessions }, key) => sessions.deleteSession(key),
  listEventRecords: ({ sessions }, key) => sessions.listEventRecords(key),
  appendEvent: ({ sessions }, key) =>
    sessions.appendEvent({ ...key, state: {}, events: [], lastUpdateTime: 0, revision: 0 }, said("x")),
  closeSession: ({ sessions }, key) => sessions.closeSession(key),
  applyStateDelta: ({ sessions }, key) =>
    sessions.applyStateDelta({ ...key, stateDelta: { a: 1 }, author: "user", invocationId: "i" }),
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
  listCredentials: ({ credentials }, { appName: app, userId }) => credentials.listCredentials({ appName: app, userId }),
  deleteCredential: ({ credentials }, key) => credentials.deleteCredential(key, "tool"),
  deleteSessionMemory: ({ memory }, key) => memory.deleteSessionMemory(key, key.id),
};

function toArtifact(session: Key) {
  return { session, filename: "note" };
}

describe("what belongs to a user", () => {
  it.each(Object.entries(CALLS))("is out of reach for others: %s", async (_, call) => {
    await using world = await startBackEnds();
    await world.stores.sessions.createSession(FOREIGN);
    await started(world.stores.sessions, "run", { session: FOREIGN });
    await world.stores.artifacts.saveArtifact({ ...toArtifact(FOREIGN), artifact: PART });
    await world.stores.credentials.saveCredential(FOREIGN, "tool", { authType: "apiKey", apiKey: "k" });
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
      await using world = await startBackEnds();
      await world.stores.sessions.createSession(KEY);
      await started(world.stores.sessions, "run");
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
    await using world = await startBackEnds();
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
    await using world = await startBackEnds();
    for (const call of Object.values(CALLS))
      await expect(call(world.gateway, KEY)).rejects.toMatchObject({ reason: "PRINCIPAL_INVALID", httpStatus: 502 });
  });
});

async function snapshotOf({ sessions, artifacts, memory, credentials }: BackEnds["stores"]) {
  return {
    sessions: await Promise.all([KEY, FOREIGN, { ...KEY, appName: "other" }].map((key) => sessions.listSessions(key))),
    session: await sessions.getSession(FOREIGN),
    runs: await sessions.list({}),
    artifacts: await artifacts.listArtifactVersions(toArtifact(FOREIGN)),
    credential: await credentials.loadCredential(FOREIGN, "tool"),
    memories: await memory.searchMemory(FOREIGN, "tea x"),
  };
}

describe("runs that are named by their ids", () => {
  it("look like none to others, and cannot be cancelled by them", async () => {
    await using world = await startBackEnds();
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
    await using world = await startBackEnds();
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

describe("principals", () => {
  it("are refused when they have expired, and under another key", async () => {
    await using world = await startBackEnds();
    const past = new FixedClock(systemClock.now() - 600_000);
    const late = world.connect(world.files.withPrincipals("gateway", { clock: past }));
    const { privateKeyFile } = world.files.writeKeys("other");
    const settings = { PRINCIPAL_PRIVATE_KEY_FILE: privateKeyFile };
    const strange = world.connect(world.files.withPrincipals("gateway", { settings }));
    const create = ({ sessions }: Remotes) => inCallScope({ principal: MINE }, () => sessions.createSession(KEY));
    await expect(create(late)).rejects.toMatchObject({ reason: "PRINCIPAL_EXPIRED", httpStatus: 502 });
    await expect(create(strange)).rejects.toMatchObject({ reason: "PRINCIPAL_INVALID", httpStatus: 502 });
    expect(await world.stores.sessions.getSession(KEY)).toBeUndefined();
  });

  it("are refused for another service than theirs, and from runners", async () => {
    await using world = await startBackEnds();
    const gateway = world.files.withPrincipals("gateway");
    const runner = world.files.withPrincipals("runner");
    const { listKeys, sign } = toolsOf(world, gateway);
    expect(await listKeys(gateway, sign("artifact"))).toEqual([]);
    expect(await listKeys(gateway, sign("memory"))).toBe("PRINCIPAL_INVALID");
    expect(await listKeys(gateway, sign("runner"))).toBe("PRINCIPAL_INVALID");
    expect(await listKeys(runner, sign("artifact"))).toBe("PRINCIPAL_INVALID");
  });

  it("reach nothing of another tenant, with the same app, user and session", async () => {
    await using world = await startBackEnds();
    await world.stores.sessions.createSession(KEY);
    const acme = { ...MINE, tenantId: "acme" };
    const read = (principal: Principal) => inCallScope({ principal }, () => world.gateway.sessions.getSession(KEY));
    await expect(read(acme)).rejects.toMatchObject({ reason: "FOREIGN_OWNER" });
    await expect(read({ ...acme, scopes: [EVERY_USER_SCOPE] })).rejects.toMatchObject({ reason: "FOREIGN_OWNER" });
    expect((await read(MINE))?.id).toBe(KEY.id);
  });

  it("keep evaluations to their app, which belong to no user", async () => {
    await using world = await startBackEnds();
    const { evaluations } = world.gateway;
    const create = (name: string) =>
      inCallScope({ principal: MINE }, () => evaluations.createEvalSet({ appName: name, evalSetId: "set" }));
    expect(await create(appName)).toMatchObject({ evalSetId: "set" });
    await expect(create("other")).rejects.toMatchObject({ reason: "FOREIGN_OWNER" });
    expect(await world.stores.evaluations.listEvalSets({ appName: "other" })).toEqual([]);
  });

  it("are checked for each message of a stream: a later one cannot name somebody else", async () => {
    await using world = await startBackEnds();
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

/** Calls of the artifact service with any principal's text, as the process of that security. */
function toolsOf({ ports }: BackEnds, gateway: ServiceSecurity) {
  const sign = (service: ServiceName): string =>
    inCallScope({ principal: MINE }, () => gateway.peer(service).facts?.(LIST_KEYS)?.principal ?? "");
  const listKeys = async (caller: ServiceSecurity, principal: string): Promise<unknown> => {
    const { serviceToken } = caller.peer("artifact").facts?.(LIST_KEYS) ?? {};
    const facts = () => ({ principal, ...(serviceToken !== undefined && { serviceToken }) });
    await using artifacts = new RemoteArtifactService({ ...peerAt(ports.artifact, caller, "artifact"), facts });
    return await artifacts.listArtifactKeys(KEY).then(
      ({ filenames }) => filenames,
      ({ reason }: { readonly reason: string }) => reason,
    );
  };
  return { sign, listKeys };
}

const LIST_KEYS = "/fairlead.artifact.v1.ArtifactService/ListArtifactKeys";
