import { PlatformError } from "#kit/errors/platform-error.ts";
import { sessionName } from "#kit/runs/stream/session-watchers.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

export const DEFAULT_KEY_PREFIX = "agentplane";

/** The keys of one run. The braces put them into one slot of a cluster, so that one script may touch them all. */
export interface RunKeys {
  /** Stream: one entry a batch. */
  readonly log: string;
  /** Hash: the position last written, whether the run has ended, how many bytes the log holds. */
  readonly head: string;
  readonly channel: string;
}

export function runKeys(prefix: string, runId: string): RunKeys {
  const base = `${prefix}:{${runId}}`;
  return { log: `${base}:log`, head: `${base}:head`, channel: `${base}:live` };
}

/** Where it is told that a session changed. Messages have no content. */
export function sessionChannel(prefix: string, session: SessionKey): string {
  return `${prefix}:session:${sessionName(session)}`;
}

/** Throws for a prefix that would decide the slot in the run's place. */
export function checkKeyPrefix(prefix: string): string {
  if (/^[^{}\s]{1,100}$/.test(prefix)) return prefix;
  throw new PlatformError(
    "CONFIGURATION",
    "The key prefix for Redis has 1 to 100 characters, none of them a brace or white space.",
  );
}
