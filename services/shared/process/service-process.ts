import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { ObjectShape } from "#kit/schema/shape.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { ServiceSecurity } from "../grpc/service-security.ts";
import type { Readiness } from "../health/readiness.ts";
import type { WatchedPart } from "../health/watch-parts.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { PeerMetrics } from "../metrics/peer-metrics.ts";
import type { OtlpExport } from "../otlp/open-otlp.ts";
import type { OtlpExporter } from "../otlp/otlp-exporter.ts";
import type { ServiceName } from "../security/call-graph.ts";
import type { ShutdownSteps } from "./lifecycle.ts";
import type { ServiceConfig } from "./service-settings.ts";

/** What a process of the platform consists of besides its own work. */
export interface ServiceContext<Config> {
  readonly name: ServiceName;
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Present when traces are exported. */
  readonly exporter: OtlpExporter | undefined;
  readonly logExporter: OtlpExport["logExporter"];
  readonly otlp: AsyncDisposable;
  readonly readiness: Readiness;
  readonly security: ServiceSecurity;
  /** Closes the opened resources, last first. */
  readonly stack: AsyncDisposableStack;
  /** The process is ready only while the part is. */
  readonly needs: (part: WatchedPart) => void;
  /** The process can do without the part; its metrics report whether it is there. */
  readonly watches: (part: WatchedPart) => void;
  readonly peers: PeerMetrics;
}

/** What a service adds to its process. */
export interface ServiceParts extends Pick<ShutdownSteps, "stopAccepting" | "abortStragglers"> {
  /** Its address, for the log. */
  readonly addresses: Readonly<Record<string, string>>;
}

/** A service as a process: its settings and its composition. */
export interface ServiceProcess<Schema extends ObjectShape> {
  readonly name: ServiceName;
  readonly schema: Schema;
  /** Resolves when the service listens. Other parts that it needs may not be ready yet. */
  readonly open: (context: ServiceContext<ConfigOf<Schema> & ServiceConfig>) => Promise<ServiceParts>;
}
