import { toPlatformError } from "../errors/platform-error.ts";
import { LeaseLostError } from "../errors/session-errors.ts";
import type { StartedRun } from "./started-run.ts";

/** What became of an attempt to keep a lease: `failed` may pass, `lost` ends the run here. */
export type LeaseOutcome = "renewed" | "failed" | "lost";

/** Of a lease: the rest is for the way to the store and for clocks that do not run alike. */
const USABLE_SHARE = 0.9;

/**
 * Renews the lease of a run that says nothing for a while, until the returned function is called. The run is ended here when its lease is
 * lost, and also when nothing has extended it for so long that it may have run out: somebody else may have taken the run up by then.
 */
export function keepLease(run: StartedRun): () => void {
  const { abort, leaseMs, onLease, record, services, writer } = run;
  const everyMs = leaseMs / 3;
  let isKeeping = true;
  let isRenewing = false;
  let timer: NodeJS.Timeout | undefined;
  const lose = (reason: unknown): void => {
    if (!isKeeping) return;
    isKeeping = false;
    onLease?.("lost");
    abort.abort(reason);
  };
  const onError = (error: unknown): void => {
    const { reason } = toPlatformError(error);
    if (reason === "LEASE_LOST" || reason === "SESSION_NOT_FOUND") return lose(error);
    // Any other failure may pass; the next renewal, or the next write, tells.
    onLease?.("failed");
    services.logger.warn({ error, runId: record.runId }, "lease not renewed");
  };
  const renew = async (): Promise<void> => {
    if (isRenewing) return;
    isRenewing = true;
    try {
      await writer.renew();
      onLease?.("renewed");
    } catch (error) {
      onError(error);
    } finally {
      isRenewing = false;
    }
  };
  const look = (): void => {
    const leftMs = writer.keptAt + leaseMs * USABLE_SHARE - services.clock.monotonic();
    if (leftMs <= 0) return lose(new LeaseLostError(record.runId));
    void renew();
    schedule(Math.min(everyMs, leftMs));
  };
  const schedule = (afterMs: number): void => {
    if (isKeeping) timer = setTimeout(look, afterMs).unref();
  };
  schedule(everyMs);
  return () => {
    isKeeping = false;
    clearTimeout(timer);
  };
}
