import type { ChannelOptions } from "@grpc/grpc-js";

/** The part of a loaded service definition that determines how its methods may be called. */
export interface ServiceMethods {
  readonly [name: string]: { readonly path: string; readonly options?: { readonly idempotency_level?: unknown } };
}

/** A machine that is lost closes no connections: only unanswered pings show it. */
const KEEPALIVE_MS = 10_000;
const KEEPALIVE_TIMEOUT_MS = 5_000;
/** How soon names are resolved again after a connection was lost: only this finds new addresses. */
const MIN_RESOLUTION_GAP_MS = 1_000;

/**
 * The time limit until a service that was unavailable is reconnected; the library's delays would grow to two minutes.
 */
const FIRST_RECONNECT_DELAY_MS = 100;
const MAX_RECONNECT_DELAY_MS = 1_000;

const RETRY_POLICY = {
  maxAttempts: 4,
  initialBackoff: "0.05s",
  maxBackoff: "1s",
  backoffMultiplier: 2,
  retryableStatusCodes: ["UNAVAILABLE"],
};

/** Options of every channel between services: calls are spread over all addresses, and repeated if that is harmless. */
export function channelOptions(methods: ServiceMethods): ChannelOptions {
  return {
    "grpc.keepalive_time_ms": KEEPALIVE_MS,
    "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MS,
    "grpc.keepalive_permit_without_calls": 1,
    "grpc.dns_min_time_between_resolutions_ms": MIN_RESOLUTION_GAP_MS,
    "grpc.initial_reconnect_backoff_ms": FIRST_RECONNECT_DELAY_MS,
    "grpc.max_reconnect_backoff_ms": MAX_RECONNECT_DELAY_MS,
    "grpc.service_config_disable_resolution": 1,
    "grpc.service_config": JSON.stringify(serviceConfig(methods)),
  };
}

/**
 * Deadlines are set on each call and not here. Any timeout must be in whole seconds or an object: the library reads
 * "0.5s" as 0.
 */
export function serviceConfig(methods: ServiceMethods) {
  const name = Object.values(methods)
    .filter(isIdempotent)
    .map(({ path }) => nameOf(path));
  return {
    loadBalancingConfig: [
      {
        outlier_detection: {
          interval: { seconds: 10, nanos: 0 },
          base_ejection_time: { seconds: 30, nanos: 0 },
          max_ejection_percent: 50,
          failure_percentage_ejection: { threshold: 85, enforcement_percentage: 100, minimum_hosts: 2 },
          child_policy: [{ round_robin: {} }],
        },
      },
    ],
    methodConfig: name.length === 0 ? [] : [{ name, retryPolicy: RETRY_POLICY }],
    retryThrottling: { maxTokens: 10, tokenRatio: 0.1 },
  };
}

function isIdempotent({ options }: ServiceMethods[string]): boolean {
  return options?.idempotency_level === "IDEMPOTENT" || options?.idempotency_level === "NO_SIDE_EFFECTS";
}

function nameOf(path: string): { readonly service: string; readonly method: string } {
  const [, service = "", method = ""] = path.split("/");
  return { service, method };
}
