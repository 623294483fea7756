import { PlatformError } from "#kit/errors/platform-error.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { GatewayDeps } from "../deps.ts";

/** How many of a session's newest runs are searched for a key. */
const SEARCHED_RUNS = 50;

/** The run; undefined if its idempotency key has been used with another request. */
export async function orReused(started: Promise<RunRecord>): Promise<RunRecord | undefined> {
  try {
    return await started;
  } catch (error) {
    if (error instanceof PlatformError && error.reason === "IDEMPOTENCY_KEY_REUSED") return undefined;
    throw error;
  }
}

/** The run that was started under an idempotency key, among the newest of the session. */
export async function findByKey(
  { runJournal }: Pick<GatewayDeps, "runJournal">,
  session: SessionKey,
  key: string,
): Promise<RunRecord | undefined> {
  const { runs } = await runJournal.list({ session, pageSize: SEARCHED_RUNS });
  return runs.find(({ idempotencyKey }) => idempotencyKey === key);
}
