import { hasInlineReference, restoreEventJson } from "#kit/artifacts/inline-data.ts";
import { SessionNotFoundError } from "#kit/errors/session-errors.ts";
import { lastUpdateTimeAsDouble, type Session, type SessionKey } from "#kit/sessions/session.ts";
import type { GatewayDeps } from "./deps.ts";

/** Six keys, always; the time in seconds with a fraction, as every client of the family expects it. */
export function sessionJson(session: Session, eventJsons: readonly string[]): string {
  const { id, appName, userId, state } = session;
  const head = JSON.stringify({ id, appName, userId, state });
  return `${head.slice(0, -1)},"events":[${eventJsons.join(",")}],"lastUpdateTime":${lastUpdateTimeAsDouble(session)}}`;
}

/**
 * The session with all its events as JSON, without parsing any of them. The head is read first and events beyond its
 * revision are left out, so that state and events belong together even while a run writes.
 */
export async function readSessionJson(
  deps: Pick<GatewayDeps, "sessionService" | "artifactService">,
  key: SessionKey,
): Promise<string> {
  const { sessionService, artifactService } = deps;
  const inlineData = { artifacts: artifactService, session: key };
  const session = await sessionService.getSession(key, { numRecentEvents: 0 });
  if (session === undefined) throw new SessionNotFoundError(key);
  const eventJsons: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = await sessionService.listEvents({ ...key, ...(pageToken !== undefined && { pageToken }) });
    for (const { sequence, json } of page.events) {
      if (sequence > session.revision) break;
      eventJsons.push(hasInlineReference(json) ? await restoreEventJson(json, inlineData) : json);
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return sessionJson(session, eventJsons);
}
