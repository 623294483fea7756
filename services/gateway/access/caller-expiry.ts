import type { FastifyReply } from "fastify";
import type { Clock } from "#kit/platform/clock.ts";
import { callerOf } from "../identity/authenticator.ts";

/** The longest time that a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Does the work when the credentials of the request's caller expire, if the answer has not ended by then. */
export function whenCallerExpires({ request, raw }: FastifyReply, clock: Clock, work: () => void): void {
  const { expiresAtMs } = callerOf(request);
  if (expiresAtMs === undefined) return;
  const timer = setTimeout(work, Math.min(Math.max(0, expiresAtMs - clock.now()), MAX_TIMER_MS)).unref();
  raw.once("close", () => clearTimeout(timer));
}
