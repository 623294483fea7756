import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { type HistoryCompactor, InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import type { PastTurn } from "#kit/core/context/past-turn.ts";
import { createRunConfig, type RunConfig } from "#kit/core/context/run-config.ts";
import { PluginManager } from "#kit/core/plugin-manager.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import type { Content } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { PromptHistory } from "#kit/history/prompt-history.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { ContextCacheConfig } from "#kit/models/context-cache-config.ts";
import type { OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { RunTrace } from "#kit/telemetry/run-trace.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";

export interface InvocationOptions {
  readonly agent?: BaseAgent;
  readonly state?: Record<string, JsonValue>;
  readonly runConfig?: Partial<RunConfig>;
  readonly artifactService?: ArtifactService;
  readonly credentialService?: CredentialService;
  readonly outbound?: OutboundAccess;
  readonly logger?: Logger;
  readonly branch?: string;
  /** Members of the session's key in place of the usual ones. */
  readonly owner?: Partial<Pick<SessionKey, "tenantId" | "appName" | "userId">>;
  readonly sessionId?: string;
  readonly events?: readonly Event[];
  readonly signal?: AbortSignal;
  readonly past?: PastTurn;
  /** The request of an agent that serves as a tool. */
  readonly toolInput?: Content;
  readonly userContent?: Content;
  readonly liveRequestQueue?: LiveRequestQueue;
  readonly contextCache?: ContextCacheConfig;
  readonly compactor?: HistoryCompactor;
}

/**
 * The context of an invocation outside any run: by default of session `s` of user `u` in `app`, with predictable ids
 * and a fixed clock.
 */
export function createInvocation(options: InvocationOptions = {}): InvocationContext {
  const { agent = new LlmAgent({ name: "helper" }), state = {}, events = [], logger = silentLogger } = options;
  const { branch, past, toolInput, userContent, liveRequestQueue, contextCache, compactor } = options;
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const services = {
    pluginManager: new PluginManager(),
    clock,
    ids,
    logger,
    captureContent: false,
    errorDetail: "generic" as const,
    ...(options.artifactService !== undefined && { artifactService: options.artifactService }),
    ...(options.credentialService !== undefined && { credentialService: options.credentialService }),
    ...(options.outbound !== undefined && { outbound: options.outbound }),
  };
  const session = {
    appName: "app",
    userId: "u",
    ...options.owner,
    id: options.sessionId ?? "s",
    state,
    events: [...events],
    lastUpdateTime: 0,
    revision: 0,
  };
  const span = new RunTrace(clock, ids).start("invocation", undefined, {});
  const invocation = {
    services,
    invocationId: "i",
    session,
    history: new PromptHistory(session.events),
    runConfig: createRunConfig(options.runConfig),
    signal: options.signal ?? new AbortController().signal,
    recorded: async () => {},
    persisted: async () => {},
    ...(toolInput !== undefined && { toolInput }),
    ...(userContent !== undefined && { userContent }),
    ...(liveRequestQueue !== undefined && { liveRequestQueue }),
    contextCache,
    compactor,
  };
  return new InvocationContext(invocation, { agent, branch, span, past });
}
