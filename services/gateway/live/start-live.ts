import { externalizeContent, hasLargeInlineData } from "#kit/artifacts/inline-data.ts";
import type { LiveRequest } from "#kit/core/context/live-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { isTerminal } from "#kit/sessions/run-record.ts";
import { isSameSession, type SessionKey } from "#kit/sessions/session.ts";
import type { StartRunRequest } from "#ports/runs/runner-service.ts";
import { assertStateDelta } from "#ports/sessions/session-limits.ts";
import { sessionLimitsOf } from "#shared/stores/session-limits.ts";
import type { GatewayDeps } from "../deps.ts";
import { checkClientState } from "../requests/state-keys.ts";
import { assertBudget, chooseNames } from "../runs/start-run.ts";
import { refuseAppState } from "../sessions/app-state.ts";

export interface LiveStart {
  readonly session: SessionKey;
  readonly settings: JsonObject;
  /** The caller's API key. */
  readonly keyId: string | undefined;
  /** The run that the client had before its connection was lost. */
  readonly lostRunId?: string | undefined;
}

export type LiveStartRequest = StartRunRequest & { readonly runId: string; readonly resumes?: boolean };

/**
 * The request for a live run of the session. It takes the place of a live run that has the session, which is a
 * conversation whose client has reconnected; behind a run of another kind it waits. A client that names its run
 * continues it if it has not ended. Throws `QUOTA_EXCEEDED`.
 */
export async function startOfLive(
  deps: GatewayDeps,
  { session, settings, keyId, lostRunId }: LiveStart,
): Promise<LiveStartRequest> {
  const { config, runJournal } = deps;
  const lost = lostRunId === undefined ? undefined : await runJournal.get(lostRunId, session.tenantId);
  if (lost?.request.live !== undefined && !isTerminal(lost.status) && isSameSession(lost.session, session)) {
    const { runId, request, streamKey } = lost;
    return { session, runId, request, streamKey, resumes: true };
  }
  const live = { streaming: true, live: settings, autoCreateSession: config.AUTO_CREATE_SESSION ? true : undefined };
  const start = { session, request: { ...live, ...(keyId !== undefined && { keyId }) }, ...chooseNames(deps) };
  await assertBudget(deps, start);
  const { runs } = await runJournal.list({ session, statuses: ["running", "pending"], pageSize: 1 });
  const isReconnect = runs[0]?.request.live !== undefined;
  return {
    ...start,
    policy: isReconnect ? "interrupt" : undefined,
    timeoutMs: config.RUN_TIMEOUT_MS > 0 ? config.RUN_TIMEOUT_MS : undefined,
  };
}

/**
 * The message as the runner gets it: its large data is stored as artifacts. Throws for state that clients may not write.
 */
export function admitLive(
  deps: GatewayDeps,
  session: SessionKey,
  request: LiveRequest,
): LiveRequest | Promise<LiveRequest> {
  const { stateDelta, content } = request;
  if (stateDelta !== undefined) {
    checkClientState(stateDelta);
    refuseAppState(deps.config, stateDelta);
    assertStateDelta(stateDelta, sessionLimitsOf(deps.config));
  }
  if (content === undefined || !hasLargeInlineData(content)) return request;
  const store = { artifacts: deps.artifactService, session };
  return externalizeContent(content, store, deps.ids.next()).then((stored) => ({ ...request, content: stored }));
}
