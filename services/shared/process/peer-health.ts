import { GrpcPeer, type PeerOptions } from "#adapters/grpc/channel/grpc-peer.ts";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { READY_SERVICE } from "../grpc/grpc-health.ts";
import type { WatchedPart } from "../health/watch-parts.ts";
import type { ServiceName } from "../security/call-graph.ts";
import type { ServiceContext } from "./service-process.ts";
import type { CallerConfig } from "./service-settings.ts";

const TIMEOUT_MS = 2000;

/** Watches another service, whose health check reports whether it is ready. */
export class PeerHealth implements WatchedPart, AsyncDisposable {
  readonly name: string;
  readonly #methods = loadProto("health").grpc.health.v1.Health.service;
  readonly #peer: GrpcPeer;

  constructor(name: string, options: PeerOptions) {
    this.name = name;
    this.#peer = new GrpcPeer({ ...options, timeoutMs: TIMEOUT_MS, patienceMs: 0, name, methods: this.#methods });
  }

  readonly check = async (): Promise<void> => {
    const { status } = await this.#peer.unary(this.#methods.Check, { service: READY_SERVICE });
    if (status !== "SERVING") throw new Error(`The ${this.name} service is not ready itself.`);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }
}

/** How this process calls the service. */
export function peerOptions(
  { config, clock, security }: Pick<ServiceContext<CallerConfig>, "config" | "clock" | "security">,
  name: ServiceName,
  address: string,
): PeerOptions {
  return { ...security.peer(name), address, clock, timeoutMs: config.CALL_TIMEOUT_MS };
}
