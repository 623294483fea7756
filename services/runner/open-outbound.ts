import { createOutboundAccess, type OutboundAccess } from "#kit/addresses/outbound-access.ts";
import type { RunnerConfig } from "./config.ts";

/** The way of this process's runs to addresses that others have named. Throws `CONFIGURATION`. */
export function openOutbound(config: RunnerConfig): OutboundAccess {
  return createOutboundAccess({
    allowedHosts: config.OUTBOUND_ALLOWED_HOSTS,
    timeoutMs: config.OUTBOUND_TIMEOUT_MS,
    maxBytes: config.OUTBOUND_MAX_BYTES,
  });
}
