import type { ModelBudget } from "#kit/budget/model-budget.ts";
import { type AppOptions, createApp } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { RunConfig } from "#kit/core/context/run-config.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import { type Content, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { ModelProperties } from "#kit/models/model-properties.ts";
import type { OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { Runner } from "#kit/runs/runner.ts";
import type { Session } from "#kit/sessions/session.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

export interface AgentWorld {
  readonly runner: Runner;
  readonly clock: FixedClock;
  readonly store: InMemorySessionStore;
  readonly artifacts: InMemoryArtifactService;
  readonly spans: SpanRecord[];
  /** Runs one turn and returns the events that the run's caller gets. */
  run(message: string | Content, runConfig?: Partial<RunConfig>, stateDelta?: JsonObject): Promise<Event[]>;
  /** The stored session. */
  session(): Promise<Session>;
}

/** A runner for the agent over stores in memory, with a fixed clock and an existing session. */
export async function createAgentWorld(
  rootAgent: BaseAgent,
  options: Partial<Omit<AppOptions, "name" | "rootAgent">> & {
    readonly state?: JsonObject;
    readonly logger?: Logger;
    readonly captureContent?: boolean;
    readonly modelProperties?: ModelProperties;
    readonly modelBudget?: ModelBudget;
    readonly outbound?: OutboundAccess;
    readonly credentialService?: CredentialService;
    /** Has the session already. */
    readonly store?: InMemorySessionStore;
  } = {},
): Promise<AgentWorld> {
  const clock = new FixedClock();
  const ids = new SequentialIds(options.store === undefined ? undefined : "later");
  const store = options.store ?? new InMemorySessionStore({ clock, ids });
  const artifacts = new InMemoryArtifactService({ clock });
  const spans: SpanRecord[] = [];
  const runner = new Runner({
    app: createApp({ ...options, name: KEY.appName, rootAgent }),
    ...(options.logger !== undefined && { logger: options.logger }),
    ...(options.captureContent !== undefined && { captureContent: options.captureContent }),
    modelProperties: options.modelProperties,
    modelBudget: options.modelBudget,
    ...(options.outbound !== undefined && { outbound: options.outbound }),
    ...(options.credentialService !== undefined && { credentialService: options.credentialService }),
    sessionService: store,
    journal: store,
    artifactService: artifacts,
    clock,
    ids,
    // Stored events then have the text of errors.
    errorDetail: "full",
    onSpans: (_session, ended) => spans.push(...ended),
  });
  if (options.store === undefined)
    await store.createSession({ ...KEY, ...(options.state !== undefined && { state: options.state }) });
  return {
    runner,
    clock,
    store,
    artifacts,
    spans,
    run: async (message, runConfig = {}, stateDelta) => {
      const newMessage = typeof message === "string" ? userContent(message) : message;
      const request = {
        userId: KEY.userId,
        sessionId: KEY.id,
        newMessage,
        runConfig,
        ...(stateDelta !== undefined && { stateDelta }),
      };
      return Array.fromAsync(runner.runAsync(request));
    },
    session: async () => {
      const session = await store.getSession(KEY);
      if (session === undefined) throw new Error("the session is missing");
      return session;
    },
  };
}

/** A short form of an event: text, calls as `name(args)`, answers as `name -> response`, errors as `! code`. */
export function brief(event: Event): string {
  const parts = (event.content?.parts ?? []).map(({ text, functionCall, functionResponse }) => {
    if (functionCall !== undefined) return `${functionCall.name}(${JSON.stringify(functionCall.args)})`;
    if (functionResponse !== undefined)
      return `${functionResponse.name} -> ${JSON.stringify(functionResponse.response)}`;
    return text ?? "?";
  });
  const error = event.errorCode === undefined ? "" : `! ${event.errorCode}: ${event.errorMessage}`;
  return `${event.author}${event.partial === true ? "~" : ""}: ${parts.join(" | ")}${error}`;
}
