import { createOutboundAccess, type OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { RunnerConfig } from "./config.ts";

/**
 * Calls addresses that a model, a user or another server has named, for the runs of this process. Throws
 * `CONFIGURATION`.
 */
export function openOutbound(config: RunnerConfig): OutboundAccess {
  return createOutboundAccess({
    allowedHosts: config.OUTBOUND_ALLOWED_HOSTS,
    timeoutMs: config.OUTBOUND_TIMEOUT_MS,
    maxBytes: config.OUTBOUND_MAX_BYTES,
  });
}
