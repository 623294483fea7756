import { liveHandleName } from "#kit/llm-agent/live/resumption-handle.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RunnerDeps } from "../deps.ts";

/**
 * Deletes the handle that a lost runner has stored for a live run, which has ended without its agent. Never throws: an
 * old handle is useless to others, and only takes room.
 */
export async function forgetLiveHandle(
  { credentialService, logger }: Pick<RunnerDeps, "credentialService" | "logger">,
  { runId, session, invocationId, request }: RunRecord,
): Promise<void> {
  if (request.live === undefined || credentialService === undefined) return;
  const { tenantId, appName, userId } = session;
  try {
    const owner = { ...inTenant(tenantId), appName, userId };
    await credentialService.deleteCredential(owner, liveHandleName(invocationId));
  } catch (error) {
    logger.warn({ error, runId }, "the handle of an ended live run cannot be deleted");
  }
}
