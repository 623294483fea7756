import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import { trimEndOf } from "#kit/platform/trim-end.ts";
import { having, integer, method, type OptionRules, text } from "#kit/schema/check-options.ts";

/** The source of credentials for calls, such as a client of `google-auth-library`. */
export interface RequestAuthentication {
  getRequestHeaders(url?: string): Promise<Headers | Readonly<Record<string, string>>>;
}

/**
 * Where the managed services are and how they are called. Either `apiKey` (express mode), or `project` and `location`
 * with the credentials of the environment (Google's default credentials) or of `auth`.
 */
export interface AgentPlatformOptions {
  /** The project's id or number; GOOGLE_CLOUD_PROJECT of the caller is not read. */
  readonly project?: string | undefined;
  /** Such as `us-central1`, or `global`. */
  readonly location?: string | undefined;
  /**
   * The engine (a reasoning engine's number or full resource name) that has the sessions and memories of all apps, or one
   * for each app name. Absent: the name of the app is the engine's.
   */
  readonly agentEngineId?: string | Readonly<Record<string, string>> | undefined;
  /** The key of express mode. */
  readonly apiKey?: string | undefined;
  /** Instead of the environment's credentials. */
  readonly auth?: RequestAuthentication | undefined;
  /** The project that pays and whose quota counts (`x-goog-user-project`). */
  readonly quotaProject?: string | undefined;
  /** The URL of an emulator or a private endpoint; requests to it contain no credentials of the environment. */
  readonly apiEndpoint?: string | undefined;
  /** The time limit of one HTTP call, in milliseconds; 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** The most bytes of one answer; 10 MiB by default. */
  readonly maxAnswerBytes?: number | undefined;
  /** The most bytes of all pages of one list, such as the events of a session; 64 MiB by default. */
  readonly maxListBytes?: number | undefined;
  /** How often a call is sent in total when the service is throttled or unavailable; 4 by default. */
  readonly maxAttempts?: number | undefined;
  /** The most milliseconds to wait for one long-running operation; 60,000 by default. */
  readonly operationTimeoutMs?: number | undefined;
  readonly sleep?: Sleep | undefined;
  readonly logger?: Logger | undefined;
}

export const AGENT_PLATFORM_RULES: OptionRules<AgentPlatformOptions> = {
  project: text,
  location: { must: "the name of a location", accepts: (value) => typeof value === "string" && LOCATION.test(value) },
  agentEngineId: { must: "the name of an engine, or one for each app", accepts: isEngines },
  apiKey: text,
  auth: having("getRequestHeaders"),
  quotaProject: text,
  apiEndpoint: text,
  timeoutMs: integer(1, " milliseconds"),
  maxAnswerBytes: integer(1024, " bytes"),
  maxListBytes: integer(1024, " bytes"),
  maxAttempts: integer(1),
  operationTimeoutMs: integer(1, " milliseconds"),
  sleep: method,
  logger: having("warn"),
};

const PROJECT = /^[a-z0-9.:-]+$/;
const LOCATION = /^[a-z0-9-]+$/;
const ENGINE_NUMBER = /^\d{1,30}$/;
const ENGINE_NAME = /^projects\/[a-z0-9.:-]+\/locations\/[a-z0-9-]+\/reasoningEngines\/(\d{1,30})$/;

function isEngines(value: unknown): boolean {
  if (typeof value === "string") return isEngine(value);
  return typeof value === "object" && value !== null && Object.values(value).every(isEngine);
}

function isEngine(value: unknown): boolean {
  return typeof value === "string" && (ENGINE_NUMBER.test(value) || ENGINE_NAME.test(value));
}

/** The addresses of engines, by the options. */
export class AgentEngines {
  /** With the version, without a slash at the end. */
  readonly baseUrl: string;
  readonly #parent: string;
  readonly #engines: AgentPlatformOptions["agentEngineId"];

  /** Throws `INVALID_FIELD` for options that do not go together. */
  constructor({ project, location, apiKey, apiEndpoint, agentEngineId }: AgentPlatformOptions, owner: string) {
    if (apiKey === undefined && (project === undefined || location === undefined))
      throw wrong(
        owner,
        project === undefined ? "project" : "location",
        "is missing: give project and location, or apiKey",
      );
    if (project !== undefined && !PROJECT.test(project)) throw wrong(owner, "project", "is not the id of a project");
    if (project !== undefined && location === undefined) throw wrong(owner, "location", "is missing beside project");
    const isRegional = location !== undefined && location !== "global" && project !== undefined;
    const host = `https://${isRegional ? `${location}-` : ""}aiplatform.googleapis.com`;
    this.baseUrl = `${trimEndOf(apiEndpoint ?? host, "/")}/v1beta1`;
    this.#parent = project === undefined ? "" : `projects/${project}/locations/${location}/`;
    this.#engines = agentEngineId;
  }

  /** The resource name of the app's engine. Throws `INVALID_FIELD` for an app that has none. */
  engineOf(appName: string): string {
    const named = typeof this.#engines === "string" ? this.#engines : this.#engines?.[appName];
    const engine = named ?? (this.#engines === undefined ? appName : "");
    if (ENGINE_NUMBER.test(engine)) return `${this.#parent}reasoningEngines/${engine}`;
    if (ENGINE_NAME.test(engine)) return engine;
    throw new PlatformError(
      "INVALID_FIELD",
      `appName has no engine: set agentEngineId, or use the engine's number or its full name as the name of the app.`,
      { details: { field: "appName" } },
    );
  }
}

function wrong(owner: string, field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `${owner}: ${field} ${problem}.`, { details: { field } });
}
