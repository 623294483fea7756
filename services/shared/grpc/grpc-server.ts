import { Server, ServerCredentials, type ServiceDefinition } from "@grpc/grpc-js";
import { silentLogger } from "#kit/platform/logger.ts";
import type { AnswerAccount } from "../answers/answer-account.ts";
import type { OwnerRulesByPath } from "../security/owner-rules.ts";
import type { AnswerBoundsByPath } from "./answer-bounds.ts";
import { answerRooms } from "./answer-rooms.ts";
import { GrpcHandlers } from "./grpc-handlers.ts";
import { GrpcHealth } from "./grpc-health.ts";
import { type GrpcService, reflectionService } from "./grpc-reflection.ts";

/** Interval of pings on a silent connection: a client that lost its network closes nothing. */
const KEEPALIVE_MS = 60_000;

export interface GrpcServerOptions {
  readonly services: readonly GrpcService[];
  /** Absent for connections without encryption. */
  readonly credentials?: ServerCredentials;
  /**
   * Maximum age of a connection: clients find new addresses only when they reconnect. Calls in progress are not cut
   * off. Unlimited if absent.
   */
  readonly maxConnectionAgeMs?: number;
  /** Serves reflection. For development. */
  readonly reflection?: boolean;
  /** The bytes of answers in flight; not counted if absent. */
  readonly answers?: AnswerAccount;
  /** How the large answers of the services are bounded. */
  readonly bounds?: AnswerBoundsByPath;
  readonly owners?: OwnerRulesByPath;
  /** Ends calls that would otherwise last as long as their callers. */
  readonly endLongCalls?: () => void;
}

/**
 * The gRPC server of a process. It owns the port and its connections, and ends in the order of `ShutdownSteps`:
 * `health` reports not ready, `stopAccepting` waits for the calls in progress, `abort` cuts off the rest.
 */
export class GrpcServer implements AsyncDisposable {
  readonly health = new GrpcHealth();
  readonly #server: Server;
  readonly #credentials: ServerCredentials;
  readonly #endLongCalls: () => void;

  constructor(options: GrpcServerOptions) {
    const { services, credentials, maxConnectionAgeMs, reflection = false, endLongCalls = () => {} } = options;
    const { answers: account, bounds = new Map(), owners = new Map() } = options;
    this.#credentials = credentials ?? ServerCredentials.createInsecure();
    this.#endLongCalls = endLongCalls;
    this.#server = new Server({
      "grpc.keepalive_time_ms": KEEPALIVE_MS,
      ...(maxConnectionAgeMs !== undefined && { "grpc.max_connection_age_ms": maxConnectionAgeMs }),
      interceptors: account && [answerRooms({ account, bounds, owners })],
    });
    this.#server.addService(this.health.definition, this.health.handlers);
    for (const { definition, handlers } of services) this.#server.addService(definition, handlers);
    if (reflection) this.#reflect([this.health.definition, ...services.map(({ definition }) => definition)]);
  }

  /** Open to every caller, like the health of the process: it reports nothing that is not in the source. */
  #reflect(definitions: readonly ServiceDefinition[]): void {
    const own = reflectionService(
      () => [...definitions, own.definition].map(nameOf),
      new GrpcHandlers({ logger: silentLogger }),
    );
    this.#server.addService(own.definition, own.handlers);
  }

  /** Binds `host:port` and returns the port, which the system chooses for 0. */
  listen(address: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(address, this.#credentials, (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
  }

  /** Accepts no more connections and calls. Resolves when those in progress have ended. */
  stopAccepting(): Promise<void> {
    this.health.endWatches();
    this.#endLongCalls();
    return new Promise((resolve, reject) => {
      this.#server.tryShutdown((error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  /** Cuts off every call that is still in progress. */
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
