import { PlatformError } from "#kit/errors/platform-error.ts";

export const ON_EXPIRY = ["reject", "approve", "fail"] as const;
/**
 * The effect on a question that nobody answers in time. `reject`: confirmations are declined, and other questions get an
 * error as their response. `approve`: confirmations are given, and other questions get that error. `fail`: the run that
 * answers ends as `failed` with `INPUT_EXPIRED`, without the agent.
 */
export type OnExpiry = (typeof ON_EXPIRY)[number];

/**
 * How long questions of the app's runs wait for people, on a server that keeps times of questions (`INBOX`). Servers
 * without them ignore it: there a question waits until it is answered.
 *
 * @example
 * ```ts
 * const oneDay: AppInbox = { expiresAfterSeconds: 24 * 60 * 60, onExpiry: "reject" };
 * ```
 */
export interface AppInbox {
  /** How long a run waits for its answer; at most 90 days. */
  readonly expiresAfterSeconds: number;
  /** `reject` if absent. */
  readonly onExpiry?: (typeof ON_EXPIRY)[number];
}

const MAX_EXPIRY_SECONDS = 90 * 24 * 60 * 60;

/** Throws `INVALID_FIELD`. */
export function assertAppInbox({ expiresAfterSeconds, onExpiry = "reject" }: AppInbox): void {
  const isTime = Number.isInteger(expiresAfterSeconds) && expiresAfterSeconds >= 1;
  if (!isTime || expiresAfterSeconds > MAX_EXPIRY_SECONDS)
    throw invalid(
      "inbox.expiresAfterSeconds",
      `inbox.expiresAfterSeconds must be whole seconds from 1 to ${MAX_EXPIRY_SECONDS}, such as 86400 for a day.`,
    );
  if (!ON_EXPIRY.includes(onExpiry))
    throw invalid("inbox.onExpiry", `inbox.onExpiry must be one of ${ON_EXPIRY.join(", ")}.`);
}

function invalid(field: string, message: string): PlatformError {
  return new PlatformError("INVALID_FIELD", message, { details: { field } });
}
