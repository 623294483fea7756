import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import type { EvalJob, EvalJobCase, EvalJobKey } from "#ports/evaluation-jobs/eval-job.ts";
import type {
  EvalJobPage,
  EvalJobResult,
  EvalJobStore,
  ListEvalJobCasesRequest,
  ListEvalJobsRequest,
  NewEvalJob,
} from "#ports/evaluation-jobs/eval-job-store.ts";
import type { EvalAbilities, EvalJobChange, EvalJobs, WatchEvalJobRequest } from "#ports/evaluation-jobs/eval-jobs.ts";
import { watchEvalJob } from "#ports/evaluation-jobs/watch-eval-job.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import { tenantDataOf } from "#ports/tenants/tenant-data-of.ts";

export interface LocalEvalJobsOptions {
  readonly store: EvalJobStore;
  readonly abilities: EvalAbilities;
  /** Informs the worker of this process that a job may be claimed, or is to be cancelled. */
  readonly wake?: () => void;
  readonly sleep?: Sleep;
}

const WATCH_INTERVAL_MS = 300;

/** The evaluations of the store of this process. */
export class LocalEvalJobs implements EvalJobs, TenantData {
  readonly #store: EvalJobStore;
  readonly #abilities: EvalAbilities;
  readonly #wake: () => void;
  readonly #sleep: Sleep;

  constructor(options: LocalEvalJobsOptions) {
    this.#store = options.store;
    this.#abilities = options.abilities;
    this.#wake = options.wake ?? (() => undefined);
    this.#sleep = options.sleep ?? sleep;
  }

  async describe(): Promise<EvalAbilities> {
    return this.#abilities;
  }

  async start(given: NewEvalJob): Promise<EvalJob> {
    const job = await this.#store.create(given);
    this.#wake();
    return job;
  }

  get(key: EvalJobKey): Promise<EvalJob | undefined> {
    return this.#store.get(key);
  }

  list(request: ListEvalJobsRequest): Promise<EvalJobPage> {
    return this.#store.list(request);
  }

  listCases(request: ListEvalJobCasesRequest): Promise<readonly EvalJobCase[]> {
    return this.#store.listCases(request);
  }

  listResults(request: ListEvalJobCasesRequest): Promise<readonly EvalJobResult[]> {
    return this.#store.listResults(request);
  }

  watch(request: WatchEvalJobRequest, signal: AbortSignal): AsyncIterable<EvalJobChange> {
    return watchEvalJob(this.#store, request, { signal, sleep: this.#sleep, intervalMs: WATCH_INTERVAL_MS });
  }

  listData(request: ListDataRequest): Promise<DataPage> {
    return tenantDataOf(this.#store).listData(request);
  }

  /** Wakes the worker of this process, so that it detects that its jobs were deleted. */
  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    const step = await tenantDataOf(this.#store).deleteData(request);
    this.#wake();
    return step;
  }

  async cancel(key: EvalJobKey): Promise<EvalJob> {
    const job = await this.#store.cancel(key);
    this.#wake();
    return job;
  }
}
