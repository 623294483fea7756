import type { FastifyInstance, FastifyServerOptions } from "fastify";
import type { GatewayConfig } from "../config.ts";

type Timeouts = Pick<GatewayConfig, "REQUEST_TIMEOUT_MS" | "HEADERS_TIMEOUT_MS">;

const MAX_CHECK_MS = 30_000;

/**
 * Options of the framework with which a request that does not arrive in time is answered 408 and its connection closed.
 */
export function requestTimeoutOptions(config: Timeouts): Pick<FastifyServerOptions, "requestTimeout"> & {
  readonly http: { readonly connectionsCheckingInterval: number };
} {
  const shortest = Math.min(...limits(config), MAX_CHECK_MS);
  return {
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    http: { connectionsCheckingInterval: Math.max(10, Math.ceil(shortest / 2)) },
  };
}

/** The part that the framework has no option for. */
export function limitHeadersTime({ server }: Pick<FastifyInstance, "server">, config: Timeouts): void {
  server.headersTimeout = config.HEADERS_TIMEOUT_MS === 0 ? 0 : Math.min(...limits(config));
}

function limits({ REQUEST_TIMEOUT_MS, HEADERS_TIMEOUT_MS }: Timeouts): readonly number[] {
  return [REQUEST_TIMEOUT_MS, HEADERS_TIMEOUT_MS].filter((ms) => ms > 0);
}
