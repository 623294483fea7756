import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { AuditResource } from "#ports/audit/audit-event.ts";
import { idleSessionsOf } from "#ports/tenants/idle-sessions.ts";
import { MAX_OLD_DELETIONS, type OldItem, type OldPage, oldDataOf } from "#ports/tenants/old-data.ts";
import type { GatewayDeps } from "../deps.ts";
import { deleteSessionParts } from "../sessions/session-parts.ts";
import type { RetainedKind } from "./retention-rules.ts";

export type RetainedStores = Pick<GatewayDeps, "sessionService" | "artifactService" | "pushStore"> & {
  /** Absent if nothing of this kind is deleted. */
  readonly memoryService?: GatewayDeps["memoryService"] | undefined;
  readonly evalStore?: GatewayDeps["evalStore"] | undefined;
};

/** A session or a run, by its id; the version of a file; an entry of memory; or the result of an evaluation, by its name. */
export type RetainedItem = OldItem;

/** The members of an audit record that name a deletion. */
export interface RecordedDeletion {
  readonly action: string;
  readonly resource: AuditResource;
}

/** One kind of data that has a time to live. */
export interface RetainedData {
  /** The old items among the next ones of all tenants. */
  list(request: { readonly before: number; readonly pageSize: number; readonly pageToken?: string }): Promise<OldPage>;
  /** The items in parts of one owner each. A part is one deletion. */
  parts(items: readonly RetainedItem[]): readonly (readonly RetainedItem[])[];
  /**
   * Deletes what of a part is still older and not in use, and returns how many items. Calls `record` before the first
   * deletion. Interrupted at any place, it can be repeated.
   */
  delete(
    part: readonly RetainedItem[],
    before: number,
    record: (deletion: RecordedDeletion) => Promise<void>,
  ): Promise<number>;
}

/** The retained data of each kind. */
export function retainedData(stores: RetainedStores): Readonly<Record<RetainedKind, RetainedData>> {
  return {
    sessions: retainedSessions(stores),
    runs: retainedRuns(stores),
    artifacts: retainedArtifacts(stores),
    memory: retainedMemory(stores),
    results: retainedResults(stores),
  };
}

/** A session is closed first, so that nothing begins in it; then its files go, and the session itself last. */
function retainedSessions(stores: RetainedStores): RetainedData {
  const { sessionService } = stores;
  const idle = idleSessionsOf(sessionService);
  return {
    list: async ({ before, ...page }) => {
      const { sessions, nextPageToken } = await idle.listIdleSessions({ updatedBefore: before, ...page });
      return { items: sessions.map(({ key, lastUpdateTime }) => ({ ...key, timeMs: lastUpdateTime })), nextPageToken };
    },
    parts: (items) => items.map((item) => [item]),
    delete: async ([item], before, record) => {
      if (item === undefined) return 0;
      const { tenantId, appName, userId = "", id } = item;
      const key = { ...inTenant(tenantId), appName, userId, id };
      if (!(await idle.closeIdleSession(key, before))) return 0;
      await record({ action: "deleteSession", resource: { appName, userId, sessionId: id } });
      await deleteSessionParts(stores, key);
      await sessionService.deleteSession(key);
      return 1;
    },
  };
}

/** The store keeps what it has not deleted: the records of runs that are not old any more. */
function retainedRuns({ sessionService }: RetainedStores): RetainedData {
  const old = oldDataOf(sessionService);
  return {
    list: (request) => old.listOldData(request),
    parts: (items) => partsOf(items, (item) => [tenantOf(item), item.appName, item.userId, item.sessionId]),
    delete: async (items, before, record) => {
      const [{ tenantId, appName, userId, sessionId } = { appName: "" }] = items;
      const session = { ...(userId !== undefined && { userId }), ...(sessionId !== undefined && { sessionId }) };
      for (const { id } of items) await record({ action: "deleteRun", resource: { appName, ...session, runId: id } });
      return old.deleteOldData({ ...inTenant(tenantId), appName, userId, items, before });
    },
  };
}

function retainedArtifacts({ artifactService }: RetainedStores): RetainedData {
  const old = oldDataOf(artifactService);
  return {
    list: (request) => old.listOldData(request),
    parts: partsOfOwners,
    delete: async (items, before, record) => {
      const [{ tenantId, appName, userId } = { appName: "", userId: "" }] = items;
      const files = Map.groupBy(items, ({ sessionId, id }) => JSON.stringify([sessionId, fileOf(id)]));
      // One record for each file, as of a client's deletion.
      for (const [{ sessionId, id } = { id: "" }] of files.values()) {
        const session = sessionId !== undefined && { sessionId };
        const resource = { appName, ...(userId !== undefined && { userId }), ...session, artifactName: fileOf(id) };
        await record({ action: "deleteArtifact", resource });
      }
      return old.deleteOldData({ ...inTenant(tenantId), appName, userId, items, before });
    },
  };
}

/** The name in `filename/version`. */
function fileOf(id: string): string {
  return id.slice(0, id.lastIndexOf("/"));
}

/** A record says whose memory it was: what an entry is about is not a name that others know. */
function retainedMemory({ memoryService = {} }: { readonly memoryService?: object | undefined }): RetainedData {
  const old = oldDataOf(memoryService);
  return {
    list: (request) => old.listOldData(request),
    parts: partsOfOwners,
    delete: async (items, before, record) => {
      const [{ tenantId, appName, userId } = { appName: "", userId: "" }] = items;
      await record({ action: "deleteMemory", resource: { appName, ...(userId !== undefined && { userId }) } });
      return old.deleteOldData({ ...inTenant(tenantId), appName, userId, items, before });
    },
  };
}

function retainedResults({ evalStore = {} }: { readonly evalStore?: object | undefined }): RetainedData {
  const old = oldDataOf(evalStore);
  return {
    list: (request) => old.listOldData(request),
    parts: partsOfOwners,
    delete: async (items, before, record) => {
      const [{ tenantId, appName } = { appName: "" }] = items;
      for (const { id } of items) await record({ action: "deleteEvalSetResult", resource: { appName, id } });
      return old.deleteOldData({ ...inTenant(tenantId), appName, items, before });
    },
  };
}

function partsOfOwners(items: readonly RetainedItem[]): readonly (readonly RetainedItem[])[] {
  return partsOf(items, (item) => [tenantOf(item), item.appName, item.userId]);
}

function partsOf(
  items: readonly RetainedItem[],
  ownerOf: (item: RetainedItem) => readonly (string | undefined)[],
): readonly (readonly RetainedItem[])[] {
  const byOwner = Map.groupBy(items, (item) => JSON.stringify(ownerOf(item)));
  const parts: (readonly RetainedItem[])[] = [];
  for (const own of byOwner.values())
    for (let start = 0; start < own.length; start += MAX_OLD_DELETIONS)
      parts.push(own.slice(start, start + MAX_OLD_DELETIONS));
  return parts;
}
