import { toPlatformError } from "../errors/platform-error.ts";
import type { StartedRun } from "./started-run.ts";

/** Renews the lease of a run that says nothing for a while, until the returned function is called. A lost lease ends the run. */
export function keepLease(run: StartedRun): () => void {
  const timer = setInterval(() => {
    run.writer.renew().catch((error: unknown) => {
      const { reason } = toPlatformError(error);
      // Any other failure may pass; the next renewal, or the next write, tells.
      if (reason === "LEASE_LOST" || reason === "SESSION_NOT_FOUND") run.abort.abort(error);
      else run.services.logger.warn({ error, runId: run.record.runId }, "lease not renewed");
    });
  }, run.renewEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
