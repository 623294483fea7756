import { Server, ServerCredentials, type ServiceDefinition } from "@grpc/grpc-js";
import { silentLogger } from "#kit/platform/logger.ts";
import { GrpcHandlers } from "./grpc-handlers.ts";
import { GrpcHealth } from "./grpc-health.ts";
import { reflectionService } from "./grpc-reflection.ts";
import type { GrpcService } from "./grpc-service.ts";

/** How often a silent connection is asked whether its client still lives: one that lost its network never says goodbye. */
const KEEPALIVE_MS = 60_000;

export interface GrpcServerOptions {
  readonly services: readonly GrpcService[];
  /** Without encryption when absent. */
  readonly credentials?: ServerCredentials;
  /**
   * How long a connection lives: clients find new addresses only when they connect again. Calls under way are not cut off. For ever when
   * absent.
   */
  readonly maxConnectionAgeMs?: number;
  /** Tells callers which services there are and their messages. For development. */
  readonly reflection?: boolean;
  /** Ends calls that would go on for as long as their callers live. */
  readonly endLongCalls?: () => void;
}

/**
 * The gRPC side of a process. It ends in the order of `ShutdownSteps`: `health` says not ready, `stopAccepting` waits for the calls
 * under way, `abort` cuts off what remains.
 */
export class GrpcServer implements AsyncDisposable {
  readonly health = new GrpcHealth();
  readonly #server: Server;
  readonly #credentials: ServerCredentials;
  readonly #endLongCalls: () => void;

  constructor(options: GrpcServerOptions) {
    const { services, credentials, maxConnectionAgeMs, reflection = false, endLongCalls = () => {} } = options;
    this.#credentials = credentials ?? ServerCredentials.createInsecure();
    this.#endLongCalls = endLongCalls;
    this.#server = new Server({
      "grpc.keepalive_time_ms": KEEPALIVE_MS,
      ...(maxConnectionAgeMs !== undefined && { "grpc.max_connection_age_ms": maxConnectionAgeMs }),
    });
    this.#server.addService(this.health.definition, this.health.handlers);
    for (const { definition, handlers } of services) this.#server.addService(definition, handlers);
    if (reflection) this.#reflect([this.health.definition, ...services.map(({ definition }) => definition)]);
  }

  /** Open to every caller, like the health of the process: it tells nothing that is not in the source. */
  #reflect(definitions: readonly ServiceDefinition[]): void {
    const own = reflectionService(
      () => [...definitions, own.definition].map(nameOf),
      new GrpcHandlers({ logger: silentLogger }),
    );
    this.#server.addService(own.definition, own.handlers);
  }

  /** Binds `host:port` and answers the port, chosen by the system for 0. */
  listen(address: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(address, this.#credentials, (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
  }

  /** Takes no more connections and calls; resolves when those under way have ended. */
  stopAccepting(): Promise<void> {
    this.health.endWatches();
    this.#endLongCalls();
    return new Promise((resolve, reject) => {
      this.#server.tryShutdown((error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  /** Cuts off every call that is still under way. */
  abort(): void {
    this.#server.forceShutdown();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.abort();
  }
}

/** `package.Service` */
function nameOf(definition: ServiceDefinition): string {
  return Object.values(definition)[0]?.path.split("/")[1] ?? "";
}
