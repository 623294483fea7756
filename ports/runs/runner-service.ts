import type { AppSchedule, OnDisconnect } from "#kit/core/app.ts";
import type { AppInbox } from "#kit/core/app-settings/app-inbox.ts";
import type { AppWebhook } from "#kit/core/app-settings/app-webhooks.ts";
import type { PlannerDescription } from "#kit/planners/planner-description.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { ConcurrencyPolicy, RunRecord, RunRequest } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

export interface StartRunRequest {
  /**
   * The caller's id for the run: a repeated request with it starts nothing twice. The service chooses an id if absent.
   */
  readonly runId?: string;
  readonly session: SessionKey;
  readonly request: RunRequest;
  /** Server default when absent. */
  readonly policy?: ConcurrencyPolicy;
  readonly idempotencyKey?: string;
  /** The key under which the run's stream is stored (`RunStream.newKey`); the run's id if absent. */
  readonly streamKey?: string;
  /** The time limit of the whole run in milliseconds. */
  readonly timeoutMs?: number;
}

/** An agent of an app's tree, as listings show it. */
export interface AgentInfo {
  readonly name: string;
  readonly description: string;
  readonly type: "llm" | "sequential" | "parallel" | "loop" | "planner" | "remote" | "agent";
  readonly model?: string;
  /** The template as written; absent if a function returns the instruction. */
  readonly instruction?: string;
  readonly outputKey?: string;
  /** For a planner agent: how its planner orders the sub-agents. */
  readonly planner?: PlannerDescription;
  readonly tools: readonly ToolInfo[];
  readonly subAgents: readonly AgentInfo[];
}

export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly type: "tool" | "agent" | "retrieval";
  readonly parameters?: JsonObject;
}

export interface AppInfo {
  readonly name: string;
  readonly language: "typescript" | "yaml";
  readonly description: string;
  readonly rootAgent: AgentInfo;
  readonly plugins: readonly string[];
  /** Of the version that this runner has loaded last; see `LoadedApp.agentRevision`. */
  readonly agentRevision?: string;
  /** The app's own policy for runs whose client disconnects. */
  readonly onDisconnect?: OnDisconnect;
  /** Messages of the app's author for people who try it. */
  readonly examples?: readonly string[];
  /** The schedules that the app defines. */
  readonly schedules?: readonly AppSchedule[];
  /** The webhooks that the app defines. */
  readonly webhooks?: readonly AppWebhook[];
  /** How long its questions wait for people. */
  readonly inbox?: AppInbox;
  /** The app's README in Markdown, if it has one. */
  readonly readme?: string;
}

/** The requests of the gateway to a runner. They do not return events: those are read from the run's stream. */
export interface RunnerService {
  /**
   * Records the run and starts or queues it. Resolves once that is stored. Throws `APP_NOT_FOUND`, `SESSION_NOT_FOUND`,
   * `SESSION_BUSY`, `QUEUE_FULL`, `INVALID_MESSAGE`.
   */
  startRun(request: StartRunRequest): Promise<RunRecord>;
  /**
   * Requests the run's cancellation; resolves once that is stored. Throws `RUN_NOT_FOUND`, for runs of other tenants
   * too.
   */
  cancelRun(runId: string, tenantId?: string): Promise<RunRecord>;
  /** Sorted names of the apps that are loaded. */
  listApps(): Promise<readonly string[]>;
  /** Throws `APP_NOT_FOUND`, or `CONFIGURATION` when the app's files are broken and no good version was ever loaded. */
  describeApp(appName: string): Promise<AppInfo>;
}
