import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { ModelBudget } from "#kit/budget/model-budget.ts";
import type { App, ResumabilityConfig } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { BasePlugin } from "#kit/core/base-plugin.ts";
import type { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import type { RunConfig } from "#kit/core/context/run-config.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import type { ErrorDetail } from "#kit/errors/shown-error.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { ModelProperties } from "#kit/models/model-properties.ts";
import type { OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { ConcurrencyPolicy, RunRecord, RunRequest } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { TraceParent } from "#kit/telemetry/run-trace.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import type { SessionCache } from "./session-cache.ts";
import type { LeaseOutcome, StartedRun } from "./started-run.ts";

/**
 * Options of a `Runner`. Services that are left out are in memory. The runner does not close the services that are
 * passed to it.
 */
export interface RunnerOptions {
  /** The app to run. If absent, the runner creates one from `appName` and `agent`. */
  readonly app?: App;
  /** Needed with `agent` in place of `app`: the name that sessions get. */
  readonly appName?: string;
  /** The root agent, in place of `app`. */
  readonly agent?: BaseAgent;
  /** Run after the app's own plugins. */
  readonly plugins?: readonly (Plugin | BasePlugin)[];
  /** Used if the app has none of its own. */
  readonly resumabilityConfig?: ResumabilityConfig;
  /** In memory if absent. */
  readonly sessionService?: SessionService;
  /** Needed only with a session service that is not a journal itself; the kit's own stores are both. */
  readonly journal?: RunJournal;
  /** Files of sessions and users. */
  readonly artifactService?: ArtifactService;
  /** The memory of agents across sessions. */
  readonly memoryService?: MemoryService;
  /** Users' credentials for tools; in memory if absent. */
  readonly credentialService?: CredentialService;
  /**
   * Makes requests to addresses that a model, a user or another server has named. If absent, the runner creates one
   * that refuses hosts of the server's own network.
   */
  readonly outbound?: OutboundAccess;
  /** The time of events and leases; the system's if absent. */
  readonly clock?: Clock;
  /** Makes the ids of events, runs and sessions; UUIDs of version 7 if absent. */
  readonly ids?: IdGenerator;
  /** Gets warnings and errors that callers do not see; silent if absent. */
  readonly logger?: Logger;
  /** Put prompt and tool content on spans. */
  readonly captureContent?: boolean;
  /** Defaults for the properties of models, for what neither a request nor its model sets. */
  readonly modelProperties?: ModelProperties | undefined;
  /** `full` writes the texts of exceptions to stored events, run records and spans. `generic` if absent. */
  readonly errorDetail?: ErrorDetail;
  /** Sessions that the runner keeps between turns; one of its own if absent. */
  readonly sessionCache?: SessionCache;
  /** The runner's name in leases. */
  readonly holder?: string;
  /** Time in milliseconds after which another runner may recover a run whose lease is not renewed; 10,000 if absent. */
  readonly leaseMs?: number;
  /**
   * How long after the end of its lease a lost run keeps its place before queued runs, in milliseconds; `leaseMs` if
   * absent.
   */
  readonly abandonAfterMs?: number;
  /** Called with the result of each renewal of a lease. Must not throw. */
  readonly onLease?: (outcome: LeaseOutcome) => void;
  /** Limits the model calls of runs; absent: no limits. */
  readonly modelBudget?: ModelBudget | undefined;
  /**
   * Hosts whose addresses a message may name as files for a model (`fileData.fileUri`): `host`, `host:port`,
   * `*.suffix`. `gs://` and files of the Gemini API are always allowed.
   */
  readonly fileUriHosts?: readonly string[] | undefined;
  /** Default settings of runs. */
  readonly runConfig?: Partial<RunConfig>;
  /**
   * Called at the start of each run: returns the parent span of the run's trace. If absent, each run begins a trace of
   * its own.
   */
  readonly traceParent?: () => TraceParent | undefined;
  /** Called with the spans of each run when it has ended. */
  readonly onSpans?: (session: SessionKey, spans: readonly SpanRecord[]) => void;
}

export interface BeginRequest {
  readonly session: SessionKey;
  readonly request: RunRequest;
  readonly policy?: ConcurrencyPolicy;
  readonly runId?: string;
  /** The invocation of a run that has a record already. */
  readonly invocationId?: string;
  readonly idempotencyKey?: string;
  readonly streamKey?: string;
  readonly deadline?: number;
  readonly maxQueued?: number;
  /** The three are as in `BeginRunRequest`. */
  readonly agentRevision?: string;
  readonly movesFrom?: string;
  readonly leftFor?: string;
}

export type BeginOutcome =
  | { readonly kind: "started"; readonly run: StartedRun }
  | { readonly kind: "queued"; readonly record: RunRecord; readonly behind: string }
  | { readonly kind: "existing"; readonly record: RunRecord };

/** A message of the user, from any source: the run checks it (`INVALID_MESSAGE`). */
export interface MessageInput {
  readonly role?: string | undefined;
  readonly parts?: readonly object[] | undefined;
}

/** One run: whose session, the message, and settings for only this run. */
export interface RunAsyncRequest {
  readonly userId: string;
  readonly sessionId: string;
  readonly newMessage?: MessageInput;
  readonly stateDelta?: JsonObject;
  readonly runConfig?: Partial<RunConfig>;
  readonly signal?: AbortSignal;
  /** The same as `signal`. */
  readonly abortSignal?: AbortSignal;
}

/** A run in a session of its own, which is deleted at its end. */
export type RunEphemeralRequest = Omit<RunAsyncRequest, "sessionId">;

/** One live run: whose session, and the queue of what the user sends. */
export interface RunLiveRequest {
  readonly userId: string;
  readonly sessionId: string;
  readonly liveRequestQueue: LiveRequestQueue;
  readonly runConfig?: Partial<RunConfig>;
  readonly signal?: AbortSignal;
  /** The same as `signal`. */
  readonly abortSignal?: AbortSignal;
}

/** A request to take a session back to before an invocation. */
export interface RewindRequest {
  readonly userId: string;
  readonly sessionId: string;
  /** The first invocation to rewind. */
  readonly rewindBeforeInvocationId: string;
}
