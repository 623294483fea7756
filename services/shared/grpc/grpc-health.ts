import type { ServiceDefinition, UntypedServiceImplementation } from "@grpc/grpc-js";
import { status } from "@grpc/grpc-js";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import type { HealthHandlers } from "#proto/grpc/health/v1/Health.ts";
import type { HealthCheckRequest__Output } from "#proto/grpc/health/v1/HealthCheckRequest.ts";
import type { HealthCheckResponse } from "#proto/grpc/health/v1/HealthCheckResponse.ts";

/** Probed for readiness: whether the process accepts calls. */
export const READY_SERVICE = "ready";
/** Probed for liveness: whether the process works at all. */
const PROCESS = "";

type ServingStatus = "SERVING" | "NOT_SERVING" | "SERVICE_UNKNOWN";

/**
 * The gRPC health protocol. The process as a whole is serving while it answers; other names have the status that was
 * last set.
 */
export class GrpcHealth {
  readonly #statuses = new Map<string, ServingStatus>([
    [PROCESS, "SERVING"],
    [READY_SERVICE, "NOT_SERVING"],
  ]);
  readonly #watchers = new Map<Watcher, () => void>();

  set(service: string, serving: boolean): void {
    this.#statuses.set(service, serving ? "SERVING" : "NOT_SERVING");
    for (const notify of this.#watchers.values()) notify();
  }

  /** Ends the watch calls, which would keep the server from stopping. */
  endWatches(): void {
    for (const call of this.#watchers.keys()) call.end();
    this.#watchers.clear();
  }

  get definition(): ServiceDefinition<UntypedServiceImplementation> {
    return loadProto("health").grpc.health.v1.Health.service;
  }

  get handlers(): HealthHandlers {
    return {
      Check: (call, callback) => {
        const serving = this.#statuses.get(call.request.service);
        if (serving === undefined) callback({ code: status.NOT_FOUND, details: "No such service is known here." });
        else callback(null, { status: serving });
      },
      Watch: (call) => this.#watch(call),
    };
  }

  #watch(call: Watcher): void {
    let sent: ServingStatus | undefined;
    const notify = (): void => {
      const serving = this.#statuses.get(call.request.service) ?? "SERVICE_UNKNOWN";
      if (serving !== sent) call.write({ status: serving });
      sent = serving;
    };
    this.#watchers.set(call, notify);
    call.once("cancelled", () => this.#watchers.delete(call));
    notify();
  }
}

interface Watcher {
  readonly request: HealthCheckRequest__Output;
  write(response: HealthCheckResponse): boolean;
  end(): unknown;
  once(event: "cancelled", listener: () => void): unknown;
}
