import type { Logger } from "#kit/platform/logger.ts";
import type { PartStates } from "./readiness.ts";

/** A part outside the process that it needs to serve: another service, or a store. */
export interface WatchedPart {
  readonly name: string;
  /** Resolves while the part is ready, and rejects while it is not. */
  readonly check: () => Promise<unknown>;
  /** Interval of checks while the part is ready, if it is not `intervalMs`. */
  readonly readyIntervalMs?: number;
}

export interface WatchOptions {
  readonly states: PartStates;
  readonly logger: Logger;
  readonly intervalMs: number;
}

/** A single failed check is not an outage. */
const FAILURES_THAT_MEAN_NOT_READY = 2;
/** After this time a part that starts together with this process is usually ready. */
const FAILURES_UNTIL_LOGGED = 12;
/** A part that is not ready is checked at least this often, because requests wait for it. */
const MAX_RETRY_MS = 500;

/**
 * Checks the part until it is disposed of, and reports its state. A part is not ready before its first successful check.
 */
export function watchPart(part: WatchedPart, { states, logger, intervalMs }: WatchOptions): Disposable {
  const { name, check, readyIntervalMs = intervalMs } = part;
  let failures = FAILURES_THAT_MEAN_NOT_READY;
  let isReady = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  states.waitFor(name);

  const look = async (): Promise<void> => {
    try {
      await check();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (isReady && failures === FAILURES_THAT_MEAN_NOT_READY) logger.warn({ error, part: name }, "part is not ready");
      // Logged once for a part that has never been ready, as the settings may be wrong.
      if (failures === FAILURES_UNTIL_LOGGED) logger.warn({ error, part: name }, "part is still not ready");
    }
    if (isStopped) return;
    const wasReady = isReady;
    isReady = failures < FAILURES_THAT_MEAN_NOT_READY && (isReady || failures === 0);
    if (isReady && !wasReady) {
      logger.info({ part: name }, "part is ready");
      states.ready(name);
    }
    if (!isReady && wasReady) states.lost(name);
    timer = setTimeout(() => void look(), failures === 0 ? readyIntervalMs : Math.min(intervalMs, MAX_RETRY_MS));
    timer.unref();
  };
  void look();
  return {
    [Symbol.dispose]: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
