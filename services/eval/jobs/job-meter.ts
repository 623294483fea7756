import { RunMeter } from "#kit/budget/run-meter.ts";
import type { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { EvalJob } from "#ports/evaluation-jobs/eval-job.ts";
import { untilAvailable } from "./until-available.ts";
import type { EvalWorkerDeps } from "./worker-deps.ts";

export interface JobMeterOptions {
  readonly job: EvalJob;
  /** Ends the wait for a part of the budget. */
  readonly signal: AbortSignal;
  /** Throws `LEASE_LOST` if another worker may have the job and ask the same questions. */
  readonly assertUsable: () => void;
  readonly onRefused: (refusal: PlatformError) => void;
}

/**
 * Counts the model calls of a job's judges and simulated users for its requester: the API key, the user if the
 * requester reaches one user only, the app and the tenant. While the counts cannot be reached, calls wait. Undefined
 * without budgets.
 */
export function meterOfJob(deps: EvalWorkerDeps, options: JobMeterOptions): RunMeter | undefined {
  const { job, signal, assertUsable, onRefused } = options;
  const { appName, requester } = job;
  const budget = deps.modelBudget?.ofSubject({ ...inTenant(job.tenantId), ...requester, appName });
  if (budget === undefined) return undefined;
  return new RunMeter({
    budget: {
      reserve: async (call, ofCall) => {
        const either = AbortSignal.any([ofCall, signal]);
        const reserved = await untilAvailable(() => budget.reserve(call, either), { ...deps, signal: either });
        try {
          // The lease may have expired while the call waited.
          assertUsable();
        } catch (error) {
          reserved.settle({});
          throw error;
        }
        return reserved;
      },
    },
    end: onRefused,
  });
}
