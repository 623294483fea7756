import { expect, it } from "vitest";
import { createEvent, USER_AUTHOR } from "#kit/events/event.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import type { TerminalRunStatus } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { MAX_OLD_PAGE, type OldItem, oldDataOf } from "#ports/tenants/old-data.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  beginRequest,
  KEY,
  LEASE_MS,
  NOW,
  type SessionStore,
  type SessionStoreContract,
  started,
  startSessionWorld,
} from "../sessions/session-world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const INVOCATION = "invocation";

/** Runs of all tenants by the age of their work, and the deletion of their records. */
export function oldRunsContract(contract: SessionStoreContract): void {
  async function walk(store: object, before: number, pageSize = MAX_OLD_PAGE): Promise<readonly OldItem[]> {
    const found: OldItem[] = [];
    for (let pageToken: string | undefined, isFirst = true; isFirst || pageToken !== undefined; isFirst = false) {
      const page = await oldDataOf(store).listOldData({ before, pageSize, pageToken });
      expect(page.items.length).toBeLessThanOrEqual(pageSize);
      found.push(...page.items);
      pageToken = page.nextPageToken;
    }
    return found.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  const idsOf = async (store: object, before: number) => (await walk(store, before)).map(({ id }) => id);

  it("lists the runs of all tenants that ended before a time, page by page", async () => {
    verifies("retention:runs");
    await using world = await startSessionWorld(contract);
    const { store, clock } = world;
    const keys = [
      ...[KEY, { ...KEY, id: "other" }, { appName: "other/app", userId: "ü", id: "session" }],
      { ...KEY, tenantId: "acme" },
    ] satisfies SessionKey[];
    for (const [index, session] of keys.entries()) {
      await store.createSession(session);
      await ended(store, `run ${index}`, { session });
    }
    clock.advance(DAY_MS);
    await ended(store, "newer");
    const active = await started(store, "active");
    await store.begin(beginRequest("queued"));

    const expected = keys.map(({ id, ...owner }, index) => {
      return { ...owner, sessionId: id, id: `run ${index}`, timeMs: NOW };
    });
    expect(await walk(store, NOW + 1)).toEqual(expected);
    for (const pageSize of [1, 2]) expect(await walk(store, NOW + 1, pageSize)).toEqual(expected);
    expect(await walk(store, NOW)).toEqual([]);
    // Neither the run that is executed nor the one behind it.
    expect(await idsOf(store, NOW + DAY_MS + 1)).toEqual(["newer", "run 0", "run 1", "run 2", "run 3"]);
    await store.finish({ lease: active.lease, afterRevision: 0, events: [], status: "failed" });
    expect(await idsOf(store, NOW + DAY_MS + 1)).toContain("active");
  });

  it("deletes the named runs of one owner that are still old, once, and leaves the session", async () => {
    verifies("retention:runs");
    await using world = await startSessionWorld(contract);
    const { store, clock } = world;
    await store.createSession(KEY);
    const other = { ...KEY, id: "other" };
    await store.createSession(other);
    await ended(store, "old", { idempotencyKey: "key" });
    await ended(store, "of another", { session: other });
    clock.advance(DAY_MS);
    await ended(store, "newer");
    const before = await store.getSession(KEY);
    expect(await remove(store, ["old"], NOW)).toBe(0);
    expect(await remove(store, ["old", "newer", "missing", "of another", "no\nname"], NOW + 1)).toBe(1);
    expect(await remove(store, ["old"], NOW + 1)).toBe(0);
    expect(await remove(store, ["newer"], NOW + 1, { ...KEY, id: "missing" })).toBe(0);
    expect(await remove(store, ["newer"], NOW + DAY_MS + 1, { ...KEY, tenantId: "acme" })).toBe(0);
    expect(await store.get("old")).toBeUndefined();
    expect((await store.list({ session: KEY })).runs.map(({ runId }) => runId)).toEqual(["newer"]);
    expect((await store.get("of another"))?.runId).toBe("of another");
    expect(await store.getSession(KEY)).toEqual(before);
    await expect(store.cancel("old")).rejects.toMatchObject({ reason: "RUN_NOT_FOUND" });
    // Its key and its id are free, and the session has its next run.
    const again = await started(store, "old", { idempotencyKey: "key" });
    expect(again.run.status).toBe("running");
  });

  it("deletes more runs of a session than one step has, beside a run that is executed", async () => {
    verifies("retention:runs");
    await using world = await startSessionWorld(contract);
    const { store, clock } = world;
    await store.createSession(KEY);
    const ids = Array.from({ length: 60 }, (_, index) => `run ${String(index).padStart(2, "0")}`);
    for (const runId of ids) await ended(store, runId);
    clock.advance(DAY_MS);
    const { lease } = await started(store, "active");
    expect(await idsOf(store, NOW + 1)).toEqual(ids);
    expect(await remove(store, [...ids, "active"], NOW + 1)).toBe(60);
    expect(await idsOf(store, NOW + 1)).toEqual([]);
    const renewed = await store.renew(lease, LEASE_MS);
    const finished = await store.finish({ lease: renewed.lease, afterRevision: 0, events: [], status: "succeeded" });
    expect(finished.run.runId).toBe("active");
  });

  it("keeps a run that waits for input, and after its answer until the work of the answer is old", async () => {
    verifies("retention:runs-in-progress");
    await using world = await startSessionWorld(contract);
    const { store, clock } = world;
    await store.createSession(KEY);
    await ended(store, "question", { status: "awaiting_input" });
    await ended(store, "other question", { status: "awaiting_input", invocationId: "other" });
    clock.advance(30 * DAY_MS);
    const soon = NOW + DAY_MS;
    expect(await idsOf(store, soon)).toEqual([]);
    expect(await remove(store, ["question"], soon)).toBe(0);

    const answer = await started(store, "answer", { invocationId: INVOCATION });
    const said = createEvent({ id: "said", invocationId: INVOCATION, author: USER_AUTHOR, timestamp: clock.now() });
    const appended = await store.append({
      ...{ lease: answer.lease, leaseMs: LEASE_MS, afterRevision: 0 },
      events: [toEventRecord(said)],
    });
    expect((await store.get("question"))?.answeredBy).toBe("answer");
    expect(await idsOf(store, soon)).toEqual([]);
    expect(await remove(store, ["question"], soon)).toBe(0);

    await store.finish({ lease: appended.lease, afterRevision: 1, events: [], status: "succeeded" });
    expect(await idsOf(store, soon)).toEqual([]);
    expect(await remove(store, ["question"], soon)).toBe(0);
    const end = clock.now();
    const found = (await walk(store, end + 1)).map(({ id, timeMs }) => [id, timeMs]);
    expect(found).toEqual([
      ["answer", end],
      ["question", end],
    ]);
    expect(await remove(store, ["question"], end + 1)).toBe(1);
    expect((await store.get("answer"))?.status).toBe("succeeded");
    expect((await store.list({ statuses: ["awaiting_input"] })).runs.map(({ runId }) => runId)).toEqual([
      "other question",
    ]);
  });

  it("finds the run whose answer was deleted before it by its own age", async () => {
    verifies("retention:resumes");
    await using world = await startSessionWorld(contract);
    const { store, clock } = world;
    await store.createSession(KEY);
    await ended(store, "question", { status: "awaiting_input" });
    clock.advance(DAY_MS);
    await ended(store, "answer", { invocationId: INVOCATION });
    expect((await store.get("question"))?.answeredBy).toBe("answer");
    const later = clock.now() + 1;
    expect(await remove(store, ["answer"], later)).toBe(1);
    expect((await walk(store, later)).map(({ id, timeMs }) => [id, timeMs])).toEqual([["question", NOW]]);
    expect(await remove(store, ["question"], later)).toBe(1);
  });

  it("refuses tokens of other lists, pages without a size, too many items and invalid names", async () => {
    await using world = await startSessionWorld(contract);
    const old = oldDataOf(world.store);
    for (const text of ['["other","1"]', '["old"]', "1"]) {
      const pageToken = Buffer.from(text).toString("base64url");
      await expect(old.listOldData({ before: NOW, pageSize: 1, pageToken })).rejects.toMatchObject({
        reason: "INVALID_CURSOR",
      });
    }
    await expect(old.listOldData({ before: NOW, pageSize: 0 })).rejects.toMatchObject({ reason: "INVALID_FIELD" });
    const tooMany = Array.from({ length: 101 }, (_, index) => `run ${index}`);
    await expect(remove(world.store, tooMany, NOW)).rejects.toMatchObject({
      ...{ reason: "INVALID_FIELD", details: { field: "items" } },
    });
    await expect(remove(world.store, ["run"], NOW, { ...KEY, tenantId: "A B" })).rejects.toMatchObject({
      reason: "INVALID_IDENTIFIER",
    });
  });

  interface EndedRun {
    readonly session?: SessionKey;
    readonly status?: TerminalRunStatus;
    readonly invocationId?: string;
    readonly idempotencyKey?: string;
  }

  async function ended(store: SessionStore, runId: string, { status = "succeeded", ...given }: EndedRun = {}) {
    const { lease } = await started(store, runId, { invocationId: INVOCATION, ...given });
    await store.finish({ lease, afterRevision: 0, events: [], status });
  }

  function remove(store: object, runIds: readonly string[], before: number, key: SessionKey = KEY): Promise<number> {
    const { id: sessionId, ...owner } = key;
    return oldDataOf(store).deleteOldData({ ...owner, items: runIds.map((id) => ({ sessionId, id })), before });
  }
}
