import { describe, expect, it } from "vitest";
import { fromEventRecord } from "#kit/events/event-record.ts";
import { type SessionKey, sessionKey } from "#kit/sessions/session.ts";
import {
  beginRequest,
  changing,
  KEY,
  LEASE_MS,
  NOW,
  OWNER,
  record,
  refusal,
  type SessionStore,
  type SessionStoreContract,
  started,
  startSessionWorld,
} from "./session-world.ts";

const ACME: SessionKey = { tenantId: "acme", ...KEY };
const INVALID_TENANTS = ["", "..", "../acme", "acme/x", "Acme", "a_b", "acme\n", "-acme", "a".repeat(64)];

/** Stores of sessions and runs keep two tenants with the same app, user, session and run names apart. */
export function sessionTenantsContract(contract: SessionStoreContract): void {
  const texts = async (store: SessionStore, key: SessionKey) =>
    (await store.listEventRecords(key)).events.map((event) => fromEventRecord(event).id);

  describe("sessions of two tenants with the same names", () => {
    it("have their own events and state, and are named with their tenant unless it is default", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      const created = await store.createSession({ ...KEY, tenantId: "default", state: { own: "d" } });
      expect(sessionKey(created)).toEqual(KEY);
      expect(created).not.toHaveProperty("tenantId");
      expect(await store.getSession(ACME)).toBeUndefined();
      expect(await store.createSession({ ...ACME, state: { own: "a" } })).toMatchObject(ACME);

      await store.appendEvent(created, changing("of default", { "app:x": 1, "user:y": 1 }));
      const shared = { own: "a" };
      expect(await store.getSession(ACME)).toEqual({
        ...ACME,
        state: shared,
        events: [],
        lastUpdateTime: NOW,
        revision: 0,
      });
      const changed = await store.applyStateDelta({
        ...ACME,
        stateDelta: { "app:x": 2, "user:y": null, "user:z": 2 },
        author: "user",
        invocationId: "i",
      });
      expect(changed.state).toEqual({ own: "a", "app:x": 2, "user:z": 2 });
      expect((await store.getSession(KEY))?.state).toEqual({ own: "d", "app:x": 1, "user:y": 1 });
      expect(await texts(store, KEY)).toEqual(["of default"]);
      expect(await texts(store, ACME)).not.toContain("of default");
      expect(await store.getHeads([KEY, ACME, { ...KEY, tenantId: "globex" }])).toEqual([
        expect.objectContaining({ revision: 1 }),
        expect.objectContaining({ revision: 1 }),
        undefined,
      ]);
      expect((await store.createSession({ ...ACME, id: "new" })).state).toEqual({ "app:x": 2, "user:z": 2 });
    });

    it("are listed, closed and deleted apart from each other", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      for (const tenantId of ["default", "acme"]) {
        await store.createSession({ ...KEY, tenantId });
        await store.createSession({ ...KEY, tenantId, id: `only ${tenantId}` });
      }
      const listed = async (tenantId: string, pageToken?: string) =>
        store.listSessions({ ...OWNER, tenantId, pageSize: 1, ...(pageToken !== undefined && { pageToken }) });
      const first = await listed("acme");
      expect(first.sessions.map(sessionKey)).toEqual([{ ...ACME, id: "only acme" }]);
      const ofDefault = await listed("default", first.nextPageToken);
      expect(ofDefault.sessions.map(sessionKey)).toEqual([{ ...KEY, id: "only default" }]);
      expect((await listed("globex")).sessions).toEqual([]);

      await store.closeSession(ACME);
      expect((await store.getSession(ACME))?.closedTime).toBe(NOW);
      expect((await store.getSession(KEY))?.closedTime).toBeUndefined();
      await store.deleteSession(ACME);
      expect(await store.getSession(ACME)).toBeUndefined();
      expect(await store.getSession(KEY)).toBeDefined();
      await expect(store.listEventRecords(ACME)).rejects.toMatchObject(refusal("SESSION_NOT_FOUND"));
      await expect(store.closeSession({ ...KEY, tenantId: "globex" })).rejects.toMatchObject(
        refusal("SESSION_NOT_FOUND"),
      );
    });

    it.each(INVALID_TENANTS)("refuse the tenant %j", async (tenantId) => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      const refused = { reason: "INVALID_IDENTIFIER", details: { field: "tenantId" } };
      const key = { ...KEY, tenantId };
      for (const call of [
        () => store.createSession(key),
        () => store.getSession(key),
        () => store.listSessions({ ...OWNER, tenantId }),
        () => store.deleteSession(key),
        () => store.listEventRecords(key),
        () => store.begin(beginRequest("run", { session: key })),
        () => store.list({ tenantId }),
        () => store.getHeads([key]),
      ])
        await expect(call()).rejects.toMatchObject(refused);
    });
  });

  describe("runs of two tenants with the same ids", () => {
    const inAcme = { session: ACME };
    const ids = async (store: SessionStore, request: Parameters<SessionStore["list"]>[0]) =>
      (await store.list(request)).runs.map(({ runId, session }) => `${session.tenantId ?? "default"}:${runId}`);

    it("begin, are found, cancelled and finished apart from each other", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      await store.createSession(KEY);
      const ofDefault = await started(store, "run", { idempotencyKey: "key" });
      expect(ofDefault.run.session).toEqual(KEY);
      expect(await store.get("run", "acme")).toBeUndefined();
      await expect(store.cancel("run", "acme")).rejects.toMatchObject(refusal("RUN_NOT_FOUND", { runId: "run" }));

      const request = { newMessage: { parts: [] }, autoCreateSession: true };
      const ofAcme = await started(store, "run", { ...inAcme, request, idempotencyKey: "key" });
      expect([ofAcme.run.session, ofAcme.lease.session, ofAcme.run.attempts]).toEqual([ACME, ACME, 1]);
      expect(await store.get("run", "acme")).toEqual(ofAcme.run);
      expect(await store.get("run")).toEqual(ofDefault.run);
      expect(await store.get("run", "default")).toEqual(ofDefault.run);
      expect(await store.get("run", "globex")).toBeUndefined();

      await store.cancel("run", "acme");
      expect((await store.get("run"))?.cancelRequested).toBe(false);
      const { lease } = ofAcme;
      await store.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("e", { "user:a": 1 })] });
      const ended = await store.finish({ lease, afterRevision: 1, events: [], status: "cancelled" });
      expect(await store.get("run", "acme")).toEqual(ended.run);
      expect((await store.get("run"))?.status).toBe("running");
      expect((await store.getSession(KEY))?.state).toEqual({});
      expect(await texts(store, ACME)).toEqual(["e"]);
      expect(await store.begin(beginRequest("again", { ...inAcme, idempotencyKey: "key" }))).toEqual({
        kind: "existing",
        run: ended.run,
      });
    });

    it("refuse the lease of the other tenant", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      for (const session of [KEY, ACME]) await store.createSession(session);
      const { lease } = await started(store, "run", inAcme);
      await started(store, "run", { holder: "other runner" });
      const { tenantId: _, ...session } = ACME;
      const forged = { ...lease, session };
      const lost = refusal("LEASE_LOST", { runId: "run" });
      await expect(store.renew(forged, LEASE_MS)).rejects.toMatchObject(lost);
      await expect(
        store.append({ lease: forged, leaseMs: LEASE_MS, afterRevision: 0, events: [record("e")] }),
      ).rejects.toMatchObject(lost);
      await expect(
        store.finish({ lease: forged, afterRevision: 0, events: [], status: "failed" }),
      ).rejects.toMatchObject(lost);
      await expect(store.release(forged)).rejects.toMatchObject(lost);
      expect((await store.get("run"))?.status).toBe("running");
    });

    it("are listed in their tenant only, with every filter", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      for (const session of [KEY, ACME]) await store.createSession(session);
      await started(store, "active", inAcme);
      await store.begin(beginRequest("queued", inAcme));
      await started(store, "active");
      const both = ["acme:queued", "acme:active"];
      const { appName, userId } = OWNER;
      for (const filter of [{}, { appName }, { userId }, { appName, userId }, { session: ACME }])
        expect(await ids(store, { ...filter, tenantId: "acme" })).toEqual(both);
      for (const filter of [{}, { appName }, { userId }, { session: KEY }])
        expect(await ids(store, filter)).toEqual(["default:active"]);
      expect(await ids(store, { tenantId: "acme", statuses: ["running"] })).toEqual(["acme:active"]);
      expect(await ids(store, { session: ACME })).toEqual([]);
      expect(await ids(store, { session: KEY, tenantId: "acme" })).toEqual([]);
      const page = await store.list({ tenantId: "acme", pageSize: 1 });
      expect(page.runs.map(({ runId }) => runId)).toEqual(["queued"]);
      // A position is not bound to a tenant; what follows it is.
      const ofDefault = await ids(store, { pageToken: page.nextPageToken ?? "" });
      expect(["default:active"]).toEqual(expect.arrayContaining(ofDefault));
    });

    it("are found with their tenant when their holders are lost, in one listing of all tenants", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      for (const session of [KEY, ACME]) await store.createSession(session);
      await started(store, "run");
      clock.advance(1);
      await started(store, "run", inAcme);
      clock.advance(2 * LEASE_MS);
      const abandoned = await store.listAbandoned({ minAgeMs: 0, limit: 10 });
      expect(abandoned.map(({ session }) => session)).toEqual([KEY, ACME]);
      const recovered = await started(store, "run", { ...inAcme, holder: "runner 2" });
      expect([recovered.run.attempts, recovered.run.session]).toEqual([2, ACME]);
      expect((await store.get("run"))?.attempts).toBe(1);
    });

    it("are found after a restart of their holder, of all tenants, before their leases expire", async () => {
      await using world = await startSessionWorld(contract);
      const { store, clock } = world;
      for (const session of [KEY, ACME]) await store.createSession(session);
      await store.createSession({ ...KEY, id: "of another" });
      await started(store, "run");
      clock.advance(1);
      await started(store, "run", inAcme);
      await started(store, "other", { session: { ...KEY, id: "of another" }, holder: "runner 2" });
      const found = async (holder: string, minAgeMs = LEASE_MS) =>
        (await store.listAbandoned({ minAgeMs, holder, limit: 10 })).map(({ session }) => session);
      expect(await found("runner 1")).toEqual([KEY, ACME]);
      expect(await found("runner 3")).toEqual([]);
      clock.advance(2 * LEASE_MS);
      expect(await found("runner 3", 4 * LEASE_MS)).toEqual([]);
      expect(await found("runner 3")).toHaveLength(3);
    });

    it("wait for and get their answers in their tenant", async () => {
      await using world = await startSessionWorld(contract);
      const { store } = world;
      for (const session of [KEY, ACME]) {
        await store.createSession(session);
        const { lease } = await started(store, "asks", { session, invocationId: "i" });
        await store.finish({ lease, afterRevision: 0, events: [], status: "awaiting_input" });
      }
      const opening = { ...record("answer"), invocationId: "i", author: "user" };
      await started(store, "answers", { ...inAcme, invocationId: "i", opening });
      expect((await store.get("asks", "acme"))?.answeredBy).toBe("answers");
      expect((await store.get("asks"))?.answeredBy).toBeUndefined();
      expect(await ids(store, { statuses: ["awaiting_input"] })).toEqual(["default:asks"]);
      expect(await ids(store, { tenantId: "acme", statuses: ["awaiting_input"] })).toEqual([]);
    });
  });
}
