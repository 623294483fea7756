import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { GatewayDeps } from "../deps.ts";
import type { LongAnswer } from "../http/stream-slots.ts";
import { callerOf } from "../identity/authenticator.ts";
import type { ManagedKeys } from "../identity/identity.ts";

/** The longest time that a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** How often the key of a long answer is checked, against what this process has read of the key in the last 30 seconds. */
const CHECK_EVERY_MS = 30_000;

/**
 * Does the work once, when the credentials of the request's caller expire or its API key is revoked, if the answer has
 * not ended by then. A key that cannot be checked stays valid until it can.
 */
export function whenCallerEnds(
  { request, raw }: LongAnswer,
  { clock, apiKeys }: Pick<GatewayDeps, "clock" | "apiKeys">,
  work: () => void,
): void {
  // The client has left already, and "close" is not emitted again.
  if (raw.destroyed) return;
  const { expiresAtMs, keyId } = callerOf(request);
  const timers: NodeJS.Timeout[] = [];
  const stop = (): void => {
    for (const timer of timers.splice(0)) clearTimeout(timer);
  };
  const end = (): void => {
    if (timers.length === 0) return;
    stop();
    work();
  };
  if (expiresAtMs !== undefined) {
    timers.push(setTimeout(end, Math.min(Math.max(0, expiresAtMs - clock.now()), MAX_TIMER_MS)).unref());
  }
  if (keyId !== undefined && apiKeys !== undefined) {
    const check = async (): Promise<void> => {
      if (!(await isAccepted(apiKeys, keyId))) end();
    };
    timers.push(setInterval(() => void check(), CHECK_EVERY_MS).unref());
  }
  if (timers.length > 0) raw.once("close", stop);
}

async function isAccepted(apiKeys: Pick<ManagedKeys, "callerOfId">, keyId: string): Promise<boolean> {
  try {
    return (await apiKeys.callerOfId(keyId)) !== undefined;
  } catch (error) {
    return toPlatformError(error).reason !== "UNAUTHENTICATED";
  }
}
