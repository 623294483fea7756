import type { OnDisconnect } from "#kit/core/app.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { ConcurrencyPolicy, RunRecord, RunRequest } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

export interface StartRunRequest {
  /**
   * The caller's name for the run: asked again under it, nothing is started twice. The service names it when absent.
   */
  readonly runId?: string;
  readonly session: SessionKey;
  readonly request: RunRequest;
  /** Server default when absent. */
  readonly policy?: ConcurrencyPolicy;
  readonly idempotencyKey?: string;
  /** Whole-run limit in milliseconds. */
  readonly timeoutMs?: number;
}

/** An agent of an app's tree, as listings show it. */
export interface AgentInfo {
  readonly name: string;
  readonly description: string;
  readonly type: "llm" | "sequential" | "parallel" | "loop" | "planner" | "remote" | "agent";
  readonly model?: string;
  /** The template as written; absent when a function makes it. */
  readonly instruction?: string;
  readonly outputKey?: string;
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
  /** The app's own word on runs whose client leaves. */
  readonly onDisconnect?: OnDisconnect;
  /** Markdown shown beside the app, when it has a README. */
  readonly readme?: string;
}

/** What the gateway asks of a runner. Events do not come back this way: they are read from the run's stream. */
export interface RunnerService {
  /**
   * Records the run and starts it, or puts it in line. Answers once that is durable. Throws `APP_NOT_FOUND`,
   * `SESSION_NOT_FOUND`, `SESSION_BUSY`, `QUEUE_FULL`, `INVALID_MESSAGE`.
   */
  startRun(request: StartRunRequest): Promise<RunRecord>;
  /** Asks for the run's end; answers when that is durable. Throws `RUN_NOT_FOUND`. */
  cancelRun(runId: string): Promise<RunRecord>;
  /** Sorted names of the apps that are loaded. */
  listApps(): Promise<readonly string[]>;
  /** Throws `APP_NOT_FOUND`, or `CONFIGURATION` when the app's files are broken and no good version was ever loaded. */
  describeApp(appName: string): Promise<AppInfo>;
}
