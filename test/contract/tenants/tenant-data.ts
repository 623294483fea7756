import { expect, it } from "vitest";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import type { EvalJobs } from "#ports/evaluation-jobs/eval-jobs.ts";
import { completeStorageLimits } from "#ports/storage-limits/given-storage-limits.ts";
import { type MeteredAmounts, type MeteredStore, NOTHING_METERED } from "#ports/storage-limits/metered-amounts.ts";
import {
  type StorageCount,
  type StorageLimitName,
  type StorageLimits,
  type StorageReader,
  storageCount,
} from "#ports/storage-limits/storage-limits.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import type { DataDeletions, DataItem, TenantData } from "#ports/tenants/tenant-data.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { newEvalJob } from "../evaluations/eval-job-world.ts";
import { evalCase, evalSetResult } from "../evaluations/eval-store.ts";
import { beginRequest, started } from "../sessions/session-world.ts";

/** The stores of a server. All count what each tenant, app and user stores. */
export interface TenantStores {
  readonly sessions: SessionService & RunJournal & StorageReader & TenantData & DataDeletions;
  readonly artifacts: ArtifactService & TenantData & MeteredStore;
  readonly memory: MemoryService & TenantData & MeteredStore;
  readonly evals: EvalStore & TenantData & MeteredStore;
  readonly jobs: Pick<EvalJobs, "start"> & TenantData;
}

/** Limits that nothing here reaches, so that all stores count. */
export function countingLimits(names: readonly StorageLimitName[]): StorageLimits {
  const limits = Object.fromEntries(names.map((name) => [name, 1_000_000]));
  return completeStorageLimits({ user: limits, app: limits, tenant: limits }, names);
}

export interface TenantDataContract {
  readonly create: () => Promise<{ readonly stores: TenantStores; readonly dispose: () => Promise<void> }>;
}

const DEFAULT: DataOwner = { tenantId: "default" };
const ACME: DataOwner = { tenantId: "acme" };
/** A tenant whose id begins like another one's. */
const ACME_2: DataOwner = { tenantId: "acme2" };
const ADA = { ...ACME, userId: "ada" };
const OWNERS = [DEFAULT, ACME, ACME_2];
const APPS = ["app", "App/2"];
const USERS = ["ada", "ada2"];

/** All stores list and delete the data of a tenant, and of a user, completely, and nothing of others. */
export function tenantDataContract({ create }: TenantDataContract): void {
  const withStores = (test: (stores: TenantStores) => Promise<void>) => async () => {
    const { stores, dispose } = await create();
    try {
      for (const { tenantId } of OWNERS) await fill(stores, tenantId);
      await test(stores);
    } finally {
      await dispose();
    }
  };

  it(
    "list everything of a tenant and of a user, in pages of any size",
    withStores(async (stores) => {
      verifies("tenants:export");
      for (const owner of OWNERS) {
        const whole = await listAll(stores, owner, 100);
        expect(whole).toEqual(wholeTenant());
        expect(await listAll(stores, owner, 3)).toEqual(whole);
        expect(await listAll(stores, { ...owner, userId: "ada" }, 2)).toEqual(
          whole.filter(({ userId }) => userId === "ada"),
        );
        expect(await listAll(stores, { ...owner, userId: "nobody" }, 2)).toEqual([]);
      }
      expect(await listAll(stores, { tenantId: "acm" }, 2)).toEqual([]);
    }),
  );

  it(
    "refuse a place that is not of the list, and bad names",
    withStores(async (stores) => {
      for (const store of Object.values(stores) as readonly TenantData[]) {
        const list = (members: object) => refusal(store.listData({ ...ACME, pageSize: 1, ...members }));
        expect(await list({ pageToken: "x" })).toBe("INVALID_CURSOR");
        expect(await list({ tenantId: "../default" })).toBe("INVALID_IDENTIFIER");
        expect(await list({ userId: "" })).toBe("INVALID_IDENTIFIER");
        expect(await list({ pageSize: 0 })).toBe("INVALID_FIELD");
        expect(await refusal(store.deleteData({ tenantId: "", limit: 1 }))).toBe("INVALID_IDENTIFIER");
      }
    }),
  );

  it.each(OWNERS)("delete everything of the tenant $tenantId in steps, and nothing of others", ({ tenantId }) =>
    withStores(async (stores) => {
      verifies("tenants:delete");
      await deleteAll(stores, { tenantId });
      for (const owner of OWNERS)
        expect(await listAll(stores, owner, 100)).toEqual(owner.tenantId === tenantId ? [] : wholeTenant());
      expect((await stores.sessions.list({ tenantId })).runs).toEqual([]);
      const counted = await stores.sessions.readStorage(
        OWNERS.map((owner) => storageCount("tenant", { ...owner, appName: "", userId: "" })),
      );
      expect(counted.map(({ sessions }) => sessions)).toEqual(
        OWNERS.map((owner) => (owner.tenantId === tenantId ? 0 : 4)),
      );
      // Everything can be made again, with the same names.
      await fill(stores, tenantId);
      expect(await listAll(stores, { tenantId }, 100)).toEqual(wholeTenant());
    })(),
  );

  it(
    "delete everything of a user in steps, and nothing of other users",
    withStores(async (stores) => {
      verifies("tenants:delete");
      await deleteAll(stores, ADA);
      expect(await listAll(stores, ACME, 100)).toEqual(wholeTenant().filter(({ userId }) => userId !== "ada"));
      for (const owner of [DEFAULT, ACME_2]) expect(await listAll(stores, owner, 100)).toEqual(wholeTenant());
      const names = { ...ACME, appName: "app", userId: "ada" };
      const counted = await stores.sessions.readStorage([storageCount("user", names), storageCount("tenant", names)]);
      expect(counted.map(({ sessions }) => sessions)).toEqual([0, 2]);
      expect(counted[0]?.storedBytes).toBe(0);
    }),
  );

  it(
    "release what they count of a deleted user and of a deleted tenant, and nothing of others",
    withStores(async (stores) => {
      verifies("tenants:delete");
      const before = await countedOf(stores);
      expect(before["artifacts of acme"]?.items).toBe(16);
      expect(before["memory of acme"]?.items).toBe(4);
      expect(before["evals of acme"]?.items).toBeGreaterThanOrEqual(4);

      await deleteAll(stores, ADA);
      const withoutAda = await countedOf(stores);
      // Evaluations have no users, and Ada had one half of all others.
      for (const store of ["artifacts", "memory"]) {
        expect(withoutAda[`${store} of ada`]).toEqual(NOTHING_METERED);
        for (const name of [`${store} of acme`, `${store} of app in acme`])
          expect(withoutAda[name]?.items).toBe((before[name]?.items ?? 0) / 2);
        expect(withoutAda[`${store} of acme`]).toEqual(before[`${store} of ada2 in acme`]);
      }
      const others = (name: string) => !/^(artifacts|memory) of (ada|acme|app in acme)$/.test(name);
      expect(only(withoutAda, others)).toEqual(only(before, others));

      await deleteAll(stores, ACME);
      const withoutAcme = await countedOf(stores);
      const ofOtherTenants = (name: string) => /(default|acme2)$/.test(name);
      expect(only(withoutAcme, ofOtherTenants)).toEqual(only(before, ofOtherTenants));
      for (const amounts of Object.values(only(withoutAcme, (name) => !ofOtherTenants(name))))
        expect(amounts).toEqual(NOTHING_METERED);

      await fill(stores, "acme");
      expect(await countedOf(stores)).toEqual(before);
    }),
  );

  it(
    "begin nothing for a tenant or a user while they are being deleted",
    withStores(async ({ sessions }) => {
      verifies("tenants:delete:nothing-begins");
      const creating = (tenantId: string, userId: string, id: string) =>
        refusal(sessions.createSession({ tenantId, appName: "app", userId, id }));
      const beginning = (tenantId: string, userId: string, runId: string) =>
        refusal(sessions.begin(beginRequest(runId, { session: { tenantId, appName: "app", userId, id: "s" } })));
      const first = await sessions.beginDeletion(ADA);
      expect(await sessions.beginDeletion(ADA)).toEqual(first);
      expect(await sessions.listDeletions()).toEqual([first]);
      expect(await creating("acme", "ada", "n1")).toBe("DATA_IN_DELETION");
      expect(await beginning("acme", "ada", "new1")).toBe("DATA_IN_DELETION");
      expect(await creating("acme", "ada2", "n1")).toBe("no refusal");
      expect(await beginning("default", "ada", "new1")).toBe("no refusal");

      await sessions.beginDeletion(ACME);
      expect(await creating("acme", "ada2", "n2")).toBe("DATA_IN_DELETION");
      expect(await creating("acme2", "ada", "n1")).toBe("no refusal");
      await sessions.endDeletion(ACME);
      await sessions.endDeletion(ADA);
      await sessions.endDeletion(ADA);
      expect(await sessions.listDeletions()).toEqual([]);
      expect(await creating("acme", "ada", "n1")).toBe("no refusal");
    }),
  );
}

type Counted = Readonly<Record<string, MeteredAmounts>>;

const METERED = ["artifacts", "memory", "evals"] as const;

/** What the stores of other data than sessions count, by a name. */
async function countedOf(stores: TenantStores): Promise<Counted> {
  const counts: (readonly [string, StorageCount])[] = OWNERS.map(({ tenantId }) => [
    tenantId,
    { tenantId, scope: "tenant", name: "" },
  ]);
  counts.push(
    ["ada", { ...ACME, scope: "user", name: "ada" }],
    ["ada2 in acme", { ...ACME, scope: "user", name: "ada2" }],
  );
  counts.push(["app in acme", { ...ACME, scope: "app", name: "app" }]);
  const counted: Record<string, MeteredAmounts> = {};
  for (const store of METERED) {
    for (const [name, count] of counts) {
      const [amounts = NOTHING_METERED] = await stores[store].readStored([count]);
      counted[`${store} of ${name}`] = amounts;
    }
  }
  return counted;
}

function only(counted: Counted, isWanted: (name: string) => boolean): Counted {
  return Object.fromEntries(Object.entries(counted).filter(([name]) => isWanted(name)));
}

/** Two users of two apps, with two kinds of artifact, a memory, states, sets and results, and a run and an evaluation each. */
async function fill({ sessions, artifacts, memory, evals, jobs }: TenantStores, tenantId: string): Promise<void> {
  for (const appName of APPS) {
    for (const userId of USERS) {
      const session = { tenantId, appName, userId, id: "s" };
      await sessions.createSession({ ...session, state: { own: 1, "user:tea": tenantId, "app:tone": tenantId } });
      const begun = await started(sessions, `run-${appName.length}-${userId}`, { session });
      if (userId === "ada")
        await sessions.finish({
          lease: begun.lease,
          afterRevision: begun.snapshot.revision,
          events: [],
          status: "succeeded",
        });
      for (const filename of ["a.txt", "user:b.txt"])
        for (const text of ["one", "two"]) await artifacts.saveArtifact({ session, filename, artifact: { text } });
      const content = { role: "user", parts: [{ text: tenantId }] };
      await memory.addMemoryEntries({ tenantId, appName, userId }, [{ id: "m", content }]);
      const requester = { userId };
      await jobs.start(newEvalJob(`job-${appName.length}-${userId}`, { tenantId, appName, requester, userId }));
    }
    await evals.createEvalSet({ tenantId, appName, evalSetId: "smoke", evalCases: [evalCase("rome")] });
    await evals.saveEvalSetResult({ tenantId, appName }, evalSetResult("smoke"));
  }
}

/** The names of all that `fill` makes, sorted. */
function wholeTenant(): readonly JsonObject[] {
  const items: JsonObject[] = [];
  for (const appName of APPS) {
    for (const userId of USERS) {
      const owner = { appName, userId };
      items.push(
        { kind: "session", ...owner, id: "s" },
        { kind: "user-state", ...owner },
        { kind: "memory", ...owner },
      );
      const jobId = `job-${appName.length}-${userId}`;
      items.push({ kind: "evaluation", appName, jobId, evalSetId: "smoke", userId });
      items.push({ kind: "artifact", ...owner, sessionId: "s", filename: "a.txt" });
      items.push({ kind: "artifact", ...owner, filename: "user:b.txt" });
    }
    items.push({ kind: "app-state", appName }, { kind: "eval-set", appName, evalSetId: "smoke" });
    items.push({ kind: "eval-result", appName });
  }
  return sorted(items);
}

/** The names of what all stores list, sorted. Content is checked here to be of the tenant. */
async function listAll(stores: TenantStores, owner: DataOwner, pageSize: number): Promise<readonly JsonObject[]> {
  const items: DataItem[] = [];
  for (const store of Object.values(stores) as readonly TenantData[]) {
    for (let pageToken: string | undefined, isFirst = true; isFirst || pageToken !== undefined; isFirst = false) {
      const page = await store.listData({ ...owner, pageSize, ...(pageToken !== undefined && { pageToken }) });
      expect(page.items.length).toBeLessThanOrEqual(pageSize);
      items.push(...page.items);
      pageToken = page.nextPageToken;
    }
  }
  return sorted(
    items.map(({ state, entry, evalResultId, ...item }) => {
      if (item.kind === "user-state") expect(state).toEqual({ tea: owner.tenantId });
      if (item.kind === "app-state") expect(state).toEqual({ tone: owner.tenantId });
      if (item.kind === "memory") expect(entry).toMatchObject({ content: { parts: [{ text: owner.tenantId }] } });
      if (item.kind === "eval-result") expect(evalResultId).toEqual(expect.any(String));
      return item;
    }),
  );
}

async function deleteAll({ sessions, ...others }: TenantStores, owner: DataOwner): Promise<void> {
  // In the order in which the server deletes.
  for (const store of [...Object.values(others), sessions] as readonly TenantData[]) {
    let deleted = 0;
    for (let isDone = false; !isDone; ) {
      const step = await store.deleteData({ ...owner, limit: 1 });
      ({ isDone } = step);
      deleted += step.deleted;
    }
    expect(await store.deleteData({ ...owner, limit: 1 })).toEqual({ deleted: 0, isDone: true });
    expect(deleted >= 0).toBe(true);
  }
}

function sorted(items: readonly JsonObject[]): readonly JsonObject[] {
  return items.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

/** The reason of a refusal. */
async function refusal(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => "no refusal",
    (thrown: unknown) => thrown,
  );
  return error instanceof PlatformError ? error.reason : error;
}
