import { withDefaults } from "#kit/platform/members.ts";
import type { Session } from "#kit/sessions/session.ts";

/** A session object with empty state and history unless they are given. Nothing is stored. */
export function createSession(params: Partial<Session> & Pick<Session, "id" | "appName">): Session {
  return withDefaults<Session>(
    { id: params.id, appName: params.appName, userId: "", state: {}, events: [], lastUpdateTime: 0, revision: 0 },
    params,
  );
}
