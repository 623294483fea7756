import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { ObjectShape } from "#kit/schema/shape.ts";
import { Version } from "#kit/version.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { settingsForLog } from "../config/describe-config.ts";
import { type Environment, loadConfig } from "../config/load-config.ts";
import { openServiceSecurity } from "../grpc/service-security.ts";
import { type PartStates, Readiness } from "../health/readiness.ts";
import { type WatchedPart, watchPart } from "../health/watch-parts.ts";
import { switchLogLevelOnSignal } from "../logging/log-level-signal.ts";
import { createLogger } from "../logging/logger.ts";
import { createMetrics } from "../metrics/metrics.ts";
import { createPeerMetrics } from "../metrics/peer-metrics.ts";
import { openOtlp } from "../otlp/open-otlp.ts";
import type { ServiceName } from "../security/call-graph.ts";
import { giveBackMemory, limitHeap } from "./heap.ts";
import { onTermination, type ShutdownSteps, shutDown } from "./lifecycle.ts";
import { limitDials } from "./limit-dials.ts";
import { reportFaults, thisProcess } from "./process-faults.ts";
import type { ServiceContext, ServiceProcess } from "./service-process.ts";
import type { ServiceConfig } from "./service-settings.ts";
import { watchLoop } from "./watch-loop.ts";

/** Aborted work may have one more event to store. */
const ABORT_MS = 2000;
/** Interval of the checks of a part that the process can do without. */
const SELDOM_MS = 15_000;

/**
 * Runs a service until a signal ends the process. Resolves when it listens; it becomes ready when the parts that it
 * needs are.
 */
export async function runService<Schema extends ObjectShape>(
  service: ServiceProcess<Schema>,
  environment: Environment,
): Promise<void> {
  // Every service's schema has the settings of `ServiceConfig`, which the type of a schema cannot express.
  const config = loadConfig(service.schema, environment) as ConfigOf<Schema> & ServiceConfig;
  const { name } = service;
  const output = await createLogger({
    level: config.LOG_LEVEL,
    format: config.LOG_FORMAT,
    fields: { service: name },
  });
  const { logger } = output;
  reportFaults(output);
  limitHeap();
  limitDials(config.CONNECT_TIMEOUT_MS);
  switchLogLevelOnSignal(thisProcess, output);
  const settings = settingsForLog(service.schema, config);
  logger.info({ version: Version.FAIRLEAD_VERSION, pid: process.pid, settings }, "starting");
  const steps = await startService(service, config, logger);
  watchLoop(config.LOOP_STALL_MS, { service: name });
  onTermination(thisProcess, async (signal) => {
    logger.info({ signal }, "shutting down");
    const code = await shutDown(steps, { sleep, logger });
    logger.info({ code }, "stopped");
    output.flush();
    return code;
  });
}

const SELF = "server";
/**
 * The service that waits for each part once, so that a process with wrong settings replaces none that works, and stays
 * ready when a part is lost later: without it something in front would answer, in a form that clients do not know. The
 * callers of the other services are services, which report one that is not ready in their own form.
 */
const EDGE: ServiceName = "gateway";

async function startService<Schema extends ObjectShape>(
  service: ServiceProcess<Schema>,
  config: ConfigOf<Schema> & ServiceConfig,
  logger: Logger,
): Promise<ShutdownSteps> {
  await using stack = new AsyncDisposableStack();
  const context = await createContext(service, { config, logger, stack });
  const { readiness, otlp } = context;
  const { addresses, stopAccepting, abortStragglers } = await service.open(context);
  await giveBackMemory();
  logger.info(addresses, "listening");
  readiness.onChange((isReady) => logger.info({ notReady: readiness.missing }, isReady ? "ready" : "not ready"));
  readiness.ready(SELF);
  const owned = stack.move();
  return {
    stopBeingReady: () => readiness.waitFor(SELF),
    graceMs: config.SHUTDOWN_GRACE_MS,
    stopAccepting,
    drainMs: config.SHUTDOWN_DRAIN_MS,
    abortStragglers,
    abortMs: ABORT_MS,
    flushTelemetry: async () => otlp[Symbol.asyncDispose](),
    dispose: () => owned.disposeAsync(),
  };
}

interface Given<Config> {
  readonly config: Config;
  readonly logger: Logger;
  readonly stack: AsyncDisposableStack;
}

async function createContext<Schema extends ObjectShape>(
  { name }: ServiceProcess<Schema>,
  { config, logger: output, stack }: Given<ConfigOf<Schema> & ServiceConfig>,
): Promise<ServiceContext<ConfigOf<Schema> & ServiceConfig>> {
  const clock = systemClock;
  const ids = new UuidV7Generator();
  const security = stack.use(await openServiceSecurity({ config, self: name, logger: output, clock, ids }));
  const readiness = new Readiness([SELF]);
  const metrics = stack.use(createMetrics({ clock, exemplars: config.METRICS_EXEMPLARS }));
  const otlp = openOtlp({ config, logger: output, clock, registry: metrics.registry });
  const { exporter, logExporter, logger } = otlp;
  const peers = createPeerMetrics(metrics.registry);
  const watch = (part: WatchedPart, states: PartStates): void =>
    void stack.use(watchPart(part, { states, logger, intervalMs: config.PEER_CHECK_MS }));
  const readinessAndPeers: PartStates = {
    waitFor: (part) => {
      peers.waitFor(part);
      readiness.waitFor(part);
    },
    ready: (part) => {
      peers.ready(part);
      readiness.ready(part);
    },
    lost: (part) => {
      peers.lost(part);
      if (name === EDGE) readiness.lost(part);
      else readiness.waitFor(part);
    },
  };
  return {
    name,
    config,
    clock,
    ids,
    logger,
    metrics,
    exporter,
    logExporter,
    otlp,
    readiness,
    security,
    stack,
    peers,
    needs: (part) => watch(part, readinessAndPeers),
    watches: ({ name: part, check }) => watch({ name: part, check, readyIntervalMs: SELDOM_MS }, peers),
  };
}
