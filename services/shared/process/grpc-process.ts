import { openAnswerAccount } from "../answers/answer-settings.ts";
import type { GrpcHandlersOptions } from "../grpc/grpc-handlers.ts";
import { READY_SERVICE } from "../grpc/grpc-health.ts";
import type { GrpcServer, GrpcServerOptions } from "../grpc/grpc-server.ts";
import { tracing } from "../tracing/call-tracer.ts";
import { openAdminServer } from "./admin-server.ts";
import { listenError } from "./listen-error.ts";
import type { ServiceContext, ServiceParts } from "./service-process.ts";
import type { GrpcConfig, ServiceConfig } from "./service-settings.ts";

type ShellOptions = GrpcHandlersOptions & Omit<GrpcServerOptions, "services" | "bounds" | "endLongCalls">;

interface Work {
  /** Stops starting background work. */
  readonly stop?: () => void;
  /** Resolves when the background work has ended too. */
  readonly whenIdle?: () => Promise<void>;
  /** Ends the background work. */
  readonly abort?: () => Promise<void>;
  /** Reads the apps for `/ready?apps` of the server for probes. */
  readonly readApps?: () => Promise<unknown>;
}

/** Opens the servers of a service: gRPC for other services, HTTP for probes and scrapers. */
export async function openGrpcProcess(
  context: ServiceContext<GrpcConfig & ServiceConfig>,
  createServer: (options: ShellOptions) => GrpcServer,
  { stop = () => {}, whenIdle = async () => {}, abort = async () => {}, readApps }: Work = {},
): Promise<ServiceParts> {
  const { config, logger, readiness, security, stack, metrics } = context;
  const { GRPC_HOST: host, GRPC_PORT: port, GRPC_MAX_CONNECTION_AGE_MS: maxAgeMs } = config;
  const admin = stack.use(
    await openAdminServer({
      host: config.ADMIN_HOST,
      port: config.ADMIN_PORT,
      readMetrics: metrics.read,
      readiness,
      readApps,
    }),
  );
  const server = stack.use(
    createServer({
      ...security.server,
      ...tracing(context),
      // Handlers run in the span of their call, so that metrics can name its trace.
      passesOn: config.METRICS_EXEMPLARS ? true : undefined,
      logger,
      answers: openAnswerAccount(config),
      maxConnectionAgeMs: maxAgeMs > 0 ? maxAgeMs : undefined,
    }),
  );
  readiness.onChange((isReady) => server.health.set(READY_SERVICE, isReady));
  const bound = await server.listen(addressOf(host, port)).catch((error: unknown) => {
    throw listenError(error, { host, port, hostSetting: "GRPC_HOST", portSetting: "GRPC_PORT" });
  });
  return {
    addresses: { grpc: addressOf(host, bound), admin: `http://${addressOf(config.ADMIN_HOST, admin.port)}` },
    stopAccepting: async () => {
      stop();
      await server.stopAccepting();
      await whenIdle();
    },
    abortStragglers: async () => {
      await abort();
      server.abort();
    },
  };
}

function addressOf(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
