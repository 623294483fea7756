import { restoreContent } from "#kit/artifacts/inline-data.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import { SessionNotFoundError } from "#kit/errors/session-errors.ts";
import { sessionToEvalCase } from "#kit/evaluation/session-to-eval-case.ts";
import type { Event } from "#kit/events/event.ts";
import { requiredKeysOf } from "#kit/llm-agent/request/read-placeholder.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Session, SessionKey } from "#kit/sessions/session.ts";
import type { EvalSetKey } from "#ports/evaluation/eval-store.ts";
import type { AgentInfo } from "#ports/runs/runner-service.ts";
import type { GatewayDeps } from "../deps.ts";
import { parseAddSession } from "./eval-body.ts";

type CaseDeps = Pick<GatewayDeps, "evalStore" | "sessionService" | "artifactService" | "runnerService" | "clock">;

/** Adds the session that the body names to the set, as a case. */
export async function addSession(deps: CaseDeps, key: EvalSetKey, body: unknown): Promise<void> {
  const { evalStore, sessionService, clock } = deps;
  const { evalId, sessionId, userId } = parseAddSession(body);
  // Checked before the session is read, so that a wrong set is reported first.
  await evalStore.listEvalCases(key);
  const sessionKey: SessionKey = { appName: key.appName, userId, id: sessionId };
  const session = await sessionService.getSession(sessionKey);
  if (session === undefined) throw new SessionNotFoundError(sessionKey);
  const options = { evalId, nowMs: clock.now(), state: await stateOfApp(deps, key.appName) };
  await evalStore.addEvalCase(key, sessionToEvalCase(await withInlineData(deps, session), options));
}

/** The state that the app's instructions need; empty for an app that cannot be run now. */
async function stateOfApp({ runnerService }: CaseDeps, appName: string): Promise<JsonObject> {
  try {
    return stateOfAgents((await runnerService.describeApp(appName)).rootAgent);
  } catch (error) {
    const { reason } = toPlatformError(error);
    if (reason === "APP_NOT_FOUND" || reason === "CONFIGURATION") return {};
    throw error;
  }
}

/** A case outlives its session, so it must not refer to data that is deleted with the session. */
async function withInlineData({ artifactService }: CaseDeps, session: Session): Promise<Session> {
  const restore = async (event: Event): Promise<Event> => {
    if (event.content === undefined) return event;
    return { ...event, content: await restoreContent(event.content, { artifacts: artifactService, session }) };
  };
  return { ...session, events: await Promise.all(session.events.map(restore)) };
}

/**
 * An empty text for each key of the session's state that instructions of the agents need, so that a case can start with
 * this state. Keys of a user's or an app's state are left out: other sessions share them.
 */
export function stateOfAgents(agent: Pick<AgentInfo, "instruction" | "subAgents">): JsonObject {
  const own = requiredKeysOf(agent.instruction ?? "").filter((key) => !key.includes(":"));
  const below = agent.subAgents.flatMap((each) => Object.entries(stateOfAgents(each)));
  return Object.fromEntries([...below, ...own.map((key) => [key, ""] as const)]);
}
