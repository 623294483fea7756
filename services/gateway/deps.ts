import type { onRequestHookHandler } from "fastify";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { WebhookEventType } from "#kit/core/app-settings/app-webhooks.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import type { ErrorDetail } from "#kit/errors/shown-error.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { EndedSessions } from "#ports/api-keys/ended-sessions.ts";
import type { CredentialDirectory } from "#ports/credentials/credential-directory.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import type { EvalJobs } from "#ports/evaluation-jobs/eval-jobs.ts";
import type { IdempotencyStore } from "#ports/idempotency/idempotency-store.ts";
import type { InboxStore } from "#ports/inbox/inbox-store.ts";
import type { PushOutcome, PushStore } from "#ports/push/push-store.ts";
import type { LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import type { RunStream } from "#ports/runs/run-stream.ts";
import type { RunnerService } from "#ports/runs/runner-service.ts";
import type { TraceStore } from "#ports/runs/trace-store.ts";
import type { ScheduleStore } from "#ports/schedules/schedule-store.ts";
import type { WebhookEvent } from "#ports/webhooks/webhook.ts";
import type { WebhookStore } from "#ports/webhooks/webhook-store.ts";
import type { AnswerAccount } from "#shared/answers/answer-account.ts";
import type { Auditor } from "#shared/audit/audit-recorder.ts";
import type { Readiness } from "#shared/health/readiness.ts";
import type { LiveDirection, WebhookOutcome } from "#shared/metrics/delivery-metrics.ts";
import type { Metrics } from "#shared/metrics/metrics.ts";
import type { RequestObserver } from "#shared/metrics/request-metrics.ts";
import type { Quotas } from "#shared/quota/quotas.ts";
import type { GatewayConfig } from "./config.ts";
import type { RequestScopeOptions } from "./http/request-scope.ts";
import type { StreamSlots } from "./http/stream-slots.ts";
import type { Authenticator } from "./identity/authenticator.ts";
import type { ManagedKeys } from "./identity/identity.ts";
import type { SignInProvider } from "./identity/sign-in-provider.ts";
import type { SignIn } from "./sign-in/sign-in.ts";

/** Everything that the gateway depends on: ports only, so that it is the same in one process and in six. */
export interface GatewayDeps {
  readonly sessionService: SessionService;
  readonly runJournal: Pick<RunJournal, "get" | "list" | "getHeads" | "cancel">;
  readonly artifactService: ArtifactService;
  readonly memoryService: MemoryService;
  readonly evalStore: EvalStore;
  /** Lists and deletes users' credentials for tools. A gateway never reads the value of one. */
  readonly userCredentials: CredentialDirectory & Pick<CredentialService, "deleteCredential">;
  readonly evalJobs: EvalJobs;
  /** Permits with which the worker of an evaluation reaches its sessions; absent where services check no principals. */
  readonly evalPermits?: EvalPermits | undefined;
  readonly runStream: Pick<RunStream, "newKey" | "expect" | "subscribe" | "recheck" | "watch" | "announce">;
  /** The push notifications of tasks; absent if they are off. */
  readonly pushStore?: PushStore | undefined;
  /** Runs that start at times; absent if they are off. */
  readonly scheduleStore?: ScheduleStore | undefined;
  /** Times and claims of questions to people; absent if they are off. */
  readonly inboxStore?: InboxStore | undefined;
  /** Webhooks; absent if they are off. */
  readonly webhookStore?: WebhookStore | undefined;
  /** Counts push notifications, for metrics. */
  readonly countPush?: ((outcome: PushOutcome) => void) | undefined;
  /** Counts the messages of webhooks, for metrics. */
  readonly countWebhook?: ((outcome: WebhookOutcome) => void) | undefined;
  /** Counts what retention deletes, for metrics. */
  readonly countRetention?: ((kind: string, count: number) => void) | undefined;
  /** Counts chunks of live runs that were dropped, for metrics. */
  readonly countLiveDrops?: ((direction: LiveDirection, chunks: number) => void) | undefined;
  readonly traceStore: Pick<TraceStore, "byEvent" | "bySession">;
  readonly runnerService: RunnerService;
  /** Absent where live runs are not offered. */
  readonly liveRunner?: LiveRunnerService | undefined;
  readonly idempotencyStore: IdempotencyStore;
  /** Identify the callers of requests; absent on a server without authentication, where everybody may do everything. */
  readonly authenticators?: readonly Authenticator[] | undefined;
  /** Present if callers may have API keys. */
  readonly apiKeys?: ManagedKeys | undefined;
  /** The identity providers with which pages sign in. */
  readonly signInProviders?: readonly SignInProvider[] | undefined;
  /** Sessions of pages that were ended at any gateway; absent if there is one process. */
  readonly endedSessions?: EndedSessions | undefined;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  readonly config: GatewayConfig;
  /** How much of an exception's text an HTTP error contains; `generic` when absent. */
  readonly errorDetail?: ErrorDetail;
  /** The call scope of a request, for calls to other services; absent where there is none. */
  readonly requestScope?: Pick<RequestScopeOptions, "tracer"> & {
    /** Whether the other services check principals. */
    readonly signsPrincipals?: boolean;
  };
  /** Records what callers do; absent if the audit log is off. */
  readonly auditor?: Auditor | undefined;
  /** The operator's quotas; absent if there are none. */
  readonly quotas?: Quotas | undefined;
  /** How long other processes may take to know of a deletion of a tenant's data; 0 if there are none. */
  readonly deletionSettleMs?: number;
  /** Observes each request, for metrics. */
  readonly requestObserver?: RequestObserver;
  /** Prometheus text of the whole process. */
  readonly readMetrics: Metrics["read"];
  /** The parts that the process waits for before it takes traffic, and the ones that do not answer now. */
  readonly readiness: Pick<Readiness, "missing" | "unavailable">;
  /** Reads and writes an app's YAML files, where the loader keeps such files. */
  readonly builder?: AgentFiles | undefined;
  /** Whether agents are executed by other processes, with settings of their own. */
  readonly hasRemoteRunners?: boolean | undefined;
}

/** Lets evaluations reach their own sessions. */
export interface EvalPermits {
  allow(request: EvalPermitRequest): Promise<string | undefined>;
}

export interface EvalPermitRequest extends TenantScoped {
  readonly appName: string;
  /** All users if absent. */
  readonly userId?: string | undefined;
  readonly jobId: string;
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number;
}

/** The job of an evaluation that is about to start. */
export interface EvaluationToWatch extends TenantScoped {
  readonly jobId: string;
  readonly appName: string;
  /** Absent for a requester who reaches all users. */
  readonly userId?: string | undefined;
}

/** Reports events to webhooks. */
export interface WebhookReporter {
  /** Notes the job, if a webhook wants to hear of its end. If it throws, the job is not to start. */
  watchEvaluation(job: EvaluationToWatch): Promise<void>;
  /** Webhooks or their work have changed. */
  look(): void;
  /** Adds the event to the messages of each webhook that wants it, unless it was added before. */
  report(event: WebhookEvent & { readonly type: WebhookEventType }): Promise<void>;
}

/** What routes get in addition, created with the gateway. */
export interface RouteDeps extends GatewayDeps {
  /** The ports as the server has them, without the checks of the caller. For the data of whole tenants alone. */
  readonly unguarded: GatewayDeps;
  readonly streamSlots: StreamSlots;
  /** The bytes of all answers of this process. */
  readonly answers: AnswerAccount;
  /** Starts the runs of schedules; absent if they are off. */
  readonly scheduler?: { look(): void } | undefined;
  /** Reports to webhooks; absent if they are off. */
  readonly webhooks?: WebhookReporter | undefined;
  /** How pages sign in; absent where they cannot. */
  readonly signIn?: SignIn | undefined;
  /** The hook of pages for people who are signed in; absent on a server without authentication. */
  readonly pageHook?: onRequestHookHandler;
  /** The path under which clients reach the routes, without a slash at its end: the proxy's, then the mounted one. */
  readonly publicPath: string;
}

/** The YAML editor's view of an app's folder. Paths are relative and checked: `INVALID_FIELD` for any that leave it. */
export interface AgentFiles {
  /** Text of the file (default `root_agent.yaml`), or undefined. */
  read(
    appName: string,
    options: { readonly filePath?: string; readonly temporary: boolean },
  ): Promise<string | undefined>;
  save(appName: string, files: ReadonlyMap<string, string>, options: { readonly temporary: boolean }): Promise<boolean>;
  /** Deletes the temporary copy. */
  cancel(appName: string): Promise<boolean>;
}
