import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import type { ErrorDetail } from "#kit/errors/shown-error.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { AnalyticsPlugin } from "#kit/plugins/analytics/analytics-plugin.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import type { RunNotifications } from "#ports/runs/run-notifications.ts";
import type { RunQuota } from "#ports/runs/run-quota.ts";
import type { RunStream } from "#ports/runs/run-stream.ts";
import type { Quotas } from "#shared/quota/quotas.ts";
import type { RunnerConfig } from "./config.ts";
import type { RunObserver } from "./metrics/run-observer.ts";

/** Everything that the runner depends on: ports only. */
export interface RunnerDeps {
  readonly agentLoader: AgentLoader;
  readonly sessionService: SessionService;
  readonly runJournal: RunJournal;
  readonly artifactService: ArtifactService;
  readonly memoryService: MemoryService;
  /** Users' credentials for tools. If absent, each loaded app has its own in memory. */
  readonly credentialService?: CredentialService | undefined;
  /** Calls addresses that a model, a user or another server has named. */
  readonly outbound?: OutboundAccess | undefined;
  readonly runStream: RunStream;
  /** Notifications between runners; absent where this one executes all runs. */
  readonly runNotifications?: RunNotifications | undefined;
  /** Counts the runs of all runners; absent where this one executes all runs. */
  readonly runQuota?: RunQuota | undefined;
  /** The operator's quotas; absent if there are none. */
  readonly quotas?: Quotas | undefined;
  /** Called with the spans of each ended run. Must not throw. */
  readonly spanSinks: readonly SpanSink[];
  readonly observer?: RunObserver;
  /** Makes the plugins that record the runs of one app; absent if the operator wants none. */
  readonly openAnalyticsPlugins?: (() => readonly AnalyticsPlugin[]) | undefined;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  readonly config: RunnerConfig;
  /** How much of an exception's text events and run records contain; `generic` when absent. */
  readonly errorDetail?: ErrorDetail;
  /** Names this runner in leases. A runner that restarts under the same name recovers its own runs immediately. */
  readonly holder: string;
}

export type SpanSink = (session: SessionKey, spans: readonly SpanRecord[]) => void;
