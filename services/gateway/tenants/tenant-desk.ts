import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { RunStatus } from "#kit/sessions/run-record.ts";
import { EvalData } from "#ports/evaluation/eval-data.ts";
import { type DataOwner, dataOwner } from "#ports/tenants/data-owner.ts";
import type {
  DataDeletion,
  DeletableData,
  DeleteDataRequest,
  DeleteDataResponse,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import { dataDeletionsOf, deletableDataOf, tenantDataOf } from "#ports/tenants/tenant-data-of.ts";
import { currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import { EVERY_USER_SCOPE } from "#shared/security/principal.ts";
import type { GatewayDeps } from "../deps.ts";

export type TenantDeskDeps = Pick<
  GatewayDeps,
  | "sessionService"
  | "runJournal"
  | "runnerService"
  | "artifactService"
  | "memoryService"
  | "evalStore"
  | "evalJobs"
  | "userCredentials"
  | "pushStore"
  | "inboxStore"
  | "scheduleStore"
  | "webhookStore"
  | "apiKeys"
  | "clock"
  | "deletionSettleMs"
>;

/** What one call of a deletion has done. */
export interface DeletionStep {
  /** Whether nothing is left. Otherwise the call is to be repeated. */
  readonly isDone: boolean;
  /** What the deletion waits for, or which store it is at; absent when it is done. */
  readonly at?: "runs" | "credentials" | "pushes" | "inbox" | StoreName | "keys";
  /** What this call has deleted in each store. */
  readonly deleted: Deleted;
}

type Deleted = Partial<Record<"credentials" | "pushes" | "inbox" | StoreName | "keys", number>>;

export type StoreName =
  | "schedules"
  | "webhooks"
  | "evaluationJobs"
  | "sessions"
  | "artifacts"
  | "memory"
  | "evaluations";

/** How long one call deletes: short, so that its answer arrives before the deadlines of clients and proxies. */
const CALL_MS = 10_000;
const STEP_LIMIT = 500;
/** Most deletions whose position is remembered. */
export const MAX_DELETIONS = 1000;
/** How long cancelled runs may take to end. A run that takes longer fails, because its session is deleted. */
const DRAIN_MS = 30_000;
const POLL_MS = 200;
const OPEN: readonly RunStatus[] = ["pending", "running"];

/** Deletes all data of a tenant or of one of its users. Uses the ports of the server itself, and not a caller's. */
export class TenantDesk {
  readonly #deps: TenantDeskDeps;
  /** The position of each user's deletion in the results of evaluations, in this process, by owner and start time. */
  readonly #progress = new BoundedCache<string>(MAX_DELETIONS);

  constructor(deps: TenantDeskDeps) {
    this.#deps = deps;
  }

  /** The stores by name, in the order of their deletion. */
  get stores(): Readonly<Record<StoreName, TenantData>> & { readonly evaluations: EvalData } {
    const { sessionService, artifactService, memoryService, evalStore, evalJobs, scheduleStore, webhookStore } =
      this.#deps;
    return {
      schedules: scheduleStore ?? NOTHING,
      webhooks: webhookStore ?? NOTHING,
      // Before `evaluations`, because the workers of these jobs store results there.
      evaluationJobs: tenantDataOf(evalJobs),
      artifacts: tenantDataOf(artifactService),
      memory: tenantDataOf(memoryService),
      evaluations: new EvalData(evalStore),
      // Last, because it records that the deletion is in progress.
      sessions: tenantDataOf(sessionService),
    };
  }

  deletions(): Promise<readonly DataDeletion[]> {
    return dataDeletionsOf(this.#deps.sessionService).listDeletions();
  }

  /** Deletes for some seconds. A repeated call, also after a crash, continues. */
  async delete(owner: DataOwner): Promise<DeletionStep> {
    const { clock, sessionService, userCredentials, apiKeys, deletionSettleMs = 0 } = this.#deps;
    const { pushStore = NOTHING_KEPT, inboxStore = NOTHING_KEPT } = this.#deps;
    const endMs = clock.monotonic() + CALL_MS;
    const isOver = () => clock.monotonic() >= endMs;
    const deleted: Deleted = {};
    // Not in `stores`: credentials are not exported, the receivers of notifications have some, and times of questions pass.
    const stores = {
      credentials: deletableDataOf(userCredentials),
      pushes: pushStore,
      inbox: inboxStore,
      ...this.stores,
    };
    const deletions = dataDeletionsOf(sessionService);
    const { startedAtMs } = await inTenantOf(owner, () => deletions.beginDeletion(dataOwner(owner)));
    // Until other processes have read the record of the deletion, they may create sessions and begin runs.
    const settleMs = startedAtMs + deletionSettleMs - clock.now();
    if (settleMs > 0) await sleep(Math.min(settleMs, CALL_MS));
    const deleteStep = (name: keyof typeof stores): Promise<DeleteDataResponse> => {
      const request = { ...dataOwner(owner), limit: STEP_LIMIT };
      return name === "evaluations"
        ? this.#deleteResults(stores.evaluations, { ...request, startedAtMs })
        : stores[name].deleteData(request);
    };
    const deleteAll = async (name: keyof typeof stores): Promise<boolean> => {
      for (let isDone = false; !isDone; ) {
        if (isOver()) return false;
        const step = await inTenantOf(owner, () => deleteStep(name));
        ({ isDone } = step);
        deleted[name] = (deleted[name] ?? 0) + step.deleted;
      }
      return true;
    };
    // Before the runs are cancelled, because schedules and the workers of these jobs begin runs.
    for (const name of ["schedules", "evaluationJobs"] as const)
      if (!(await deleteAll(name))) return { isDone: false, at: name, deleted };
    while ((await this.#cancelRuns(owner)) > 0 && clock.now() < startedAtMs + DRAIN_MS) {
      if (isOver()) return { isDone: false, at: "runs", deleted };
      await sleep(POLL_MS);
    }
    for (const name of Object.keys(stores) as (keyof typeof stores)[])
      if (!(await deleteAll(name))) return { isDone: false, at: name, deleted };
    for (let count = STEP_LIMIT; apiKeys !== undefined && count === STEP_LIMIT; ) {
      if (isOver()) return { isDone: false, at: "keys", deleted };
      const ids = await apiKeys.store.deleteOf(owner, STEP_LIMIT);
      for (const id of ids) apiKeys.forget(id);
      count = ids.length;
      deleted.keys = (deleted.keys ?? 0) + count;
    }
    await inTenantOf(owner, () => deletions.endDeletion(dataOwner(owner)));
    return { isDone: true, deleted };
  }

  /**
   * Continues after the results that this process has already checked. Another process begins with the first result.
   */
  async #deleteResults(
    evaluations: EvalData,
    { startedAtMs, ...request }: DeleteDataRequest & Pick<DataDeletion, "startedAtMs">,
  ): Promise<DeleteDataResponse> {
    // A later deletion of the same user begins with the first result again.
    const key = JSON.stringify([request.tenantId, request.userId, startedAtMs]);
    const pageToken = this.#progress.get(key);
    const step = await evaluations.deleteData({ ...request, pageToken });
    if (step.nextPageToken === undefined) this.#progress.delete(key);
    else this.#progress.set(key, step.nextPageToken);
    return step;
  }

  /** Requests the end of all open runs. Returns how many are still being executed. */
  async #cancelRuns(owner: DataOwner): Promise<number> {
    const { runJournal, runnerService } = this.#deps;
    let running = 0;
    for (let pageToken: string | undefined, isFirst = true; isFirst || pageToken !== undefined; isFirst = false) {
      const request = {
        ...inTenant(owner.tenantId),
        userId: owner.userId,
        pageToken,
        statuses: OPEN,
        pageSize: 100,
      };
      const page = await inTenantOf(owner, () => runJournal.list(request));
      for (const { runId, status, cancelRequested } of page.runs) {
        if (status === "running") running += 1;
        if (cancelRequested) continue;
        await inTenantOf(owner, () => runnerService.cancelRun(runId, owner.tenantId)).catch((error: unknown) => {
          // It has ended in the meantime.
          if (toPlatformError(error).reason !== "RUN_NOT_FOUND") throw error;
        });
      }
      pageToken = page.nextPageToken;
    }
    return running;
  }
}

const NOTHING_KEPT: DeletableData = { deleteData: async () => ({ deleted: 0, isDone: true }) };

const NOTHING: TenantData = { ...NOTHING_KEPT, listData: async () => ({ items: [] }) };

/** Makes calls for all users of the tenant. The route has checked that the caller may do this. */
export function inTenantOf<Result>({ tenantId }: DataOwner, call: () => Promise<Result>): Promise<Result> {
  const principal = { tenantId, scopes: [EVERY_USER_SCOPE] };
  return inCallScope({ ...currentCallScope(), principal }, call);
}
