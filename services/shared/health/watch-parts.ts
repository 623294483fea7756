import type { Logger } from "#kit/platform/logger.ts";
import type { Readiness } from "./readiness.ts";

/** Something outside the process that it needs to serve: another service, or a store. */
export interface WatchedPart {
  readonly name: string;
  /** Resolves while the part is ready, and rejects while it is not. */
  readonly check: () => Promise<unknown>;
  /** How often the part is asked while it is ready, where that is not `intervalMs`. */
  readonly readyIntervalMs?: number;
}

export interface WatchOptions {
  /** Told of the part. */
  readonly readiness: Pick<Readiness, "ready" | "notReady">;
  readonly logger: Logger;
  readonly intervalMs: number;
}

/** One lost answer is no outage: taking a process out of service for it would do more harm. */
const FAILURES_THAT_MEAN_NOT_READY = 2;
/** By then a part that starts together with this process is usually ready. */
const FAILURES_UNTIL_TOLD = 12;
/** One that is not ready is asked at least this often: somebody waits for it. */
const MAX_RETRY_MS = 500;

/** Keeps the readiness of the part as it is found to be. A part is not ready until it has said so. */
export function watchPart(part: WatchedPart, { readiness, logger, intervalMs }: WatchOptions): Disposable {
  const { name, check, readyIntervalMs = intervalMs } = part;
  let failures = FAILURES_THAT_MEAN_NOT_READY;
  let isReady = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  readiness.notReady(name);

  const look = async (): Promise<void> => {
    try {
      await check();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (isReady && failures === FAILURES_THAT_MEAN_NOT_READY) logger.warn({ error, part: name }, "part is not ready");
      // Said once of a part that has never been ready, as it may be a mistake in the settings.
      if (failures === FAILURES_UNTIL_TOLD) logger.warn({ error, part: name }, "part is still not ready");
    }
    if (isStopped) return;
    const wasReady = isReady;
    isReady = failures < FAILURES_THAT_MEAN_NOT_READY && (isReady || failures === 0);
    if (isReady && !wasReady) {
      logger.info({ part: name }, "part is ready");
      readiness.ready(name);
    }
    if (!isReady && wasReady) readiness.notReady(name);
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
