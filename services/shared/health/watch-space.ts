import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { PartStates } from "./readiness.ts";

export interface SpaceWatchOptions {
  /** Name of the store. */
  readonly store: string;
  /** Writes a few bytes where the store writes; absent for a store without a disk of its own. */
  readonly probe: (() => Promise<void>) | undefined;
  readonly states: Pick<PartStates, "ready" | "lost">;
  readonly logger: Logger;
}

/** Reports that the disk of a store is full: what is stored can be read, so the process stays in service. */
export interface SpaceWatch extends Disposable {
  /** Called for each failure of the store. */
  readonly failed: (reason: ErrorReason) => void;
}

const PROBE_INTERVAL_MS = 1000;

/** The store is reported from a write that failed with `STORAGE_FULL` until a probe can write again. */
export function watchSpace({ store, probe, states, logger }: SpaceWatchOptions): SpaceWatch {
  const part = `${store} store (STORAGE_FULL)`;
  let isFull = false;
  let timer: NodeJS.Timeout | undefined;
  if (probe === undefined) return { failed: () => {}, [Symbol.dispose]: () => {} };

  const probeLater = (): void => {
    timer = setTimeout(() => void look(), PROBE_INTERVAL_MS);
    timer.unref();
  };
  const look = async (): Promise<void> => {
    try {
      await probe();
    } catch {
      // Any failure: what cannot be written is not stored.
      if (isFull) probeLater();
      return;
    }
    if (!isFull) return;
    isFull = false;
    logger.info({ store }, "the disk of the store has space again");
    states.ready(part);
  };
  return {
    failed: (reason) => {
      if (reason !== "STORAGE_FULL" || isFull) return;
      isFull = true;
      logger.error({ store }, "the disk of the store is full: writes are refused until there is space");
      states.lost(part);
      probeLater();
    },
    [Symbol.dispose]: () => {
      isFull = false;
      clearTimeout(timer);
    },
  };
}
