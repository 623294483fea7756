import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import type { ClaimedEvalJob, EvalJobStore } from "#ports/evaluation-jobs/eval-job-store.ts";
import type { RunnerService } from "#ports/runs/runner-service.ts";
import type { QuotaModelBudget } from "#shared/quota/quota-model-budget.ts";
import type { EvalWorkerConfig } from "./worker-settings.ts";

/** What the worker of evaluations depends on. */
export interface EvalWorkerDeps {
  readonly evalJobStore: EvalJobStore;
  readonly evalStore: Pick<EvalStore, "saveEvalSetResult">;
  readonly sessionService: Pick<SessionService, "createSession" | "listEventRecords">;
  readonly runJournal: Pick<RunJournal, "get">;
  readonly runnerService: Pick<RunnerService, "startRun" | "cancelRun" | "describeApp">;
  readonly artifactService: ArtifactService;
  /** The budget for model calls of judges and simulated users; absent without quotas. */
  readonly modelBudget?: Pick<QuotaModelBudget, "ofSubject"> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sleep: Sleep;
  readonly config: EvalWorkerConfig & { readonly RUN_TIMEOUT_MS: number };
  /** The name under which this process claims jobs. */
  readonly holder: string;
  /** The credentials of the calls for a job. */
  readonly credentialsOf: (claimed: ClaimedEvalJob) => JobCredentials;
}

export interface JobCredentials {
  /** Does the work with credentials for this session of the job. */
  within<Result>(session: SessionKey, work: () => Promise<Result>): Promise<Result>;
}

/** For ports that check no credentials, as in the server in one process. */
export const NO_CREDENTIALS: JobCredentials = { within: (_session, work) => work() };
