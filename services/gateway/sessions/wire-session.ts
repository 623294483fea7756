import { hasInlineReference, restoreEventJson } from "#kit/artifacts/inline-data.ts";
import { SessionNotFoundError } from "#kit/errors/session-errors.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import { lastUpdateTimeAsDouble, type Session, type SessionKey } from "#kit/sessions/session.ts";
import type { GetSessionConfig } from "#kit/sessions/session-service.ts";
import type { GatewayDeps } from "../deps.ts";

/** Always six keys; the time is in seconds with a fraction, as all ADK clients expect it. */
export function sessionJson(session: Session, eventJsons: readonly string[]): string {
  return `${beginning(session)}${eventJsons.join(",")}${end(session)}`;
}

type ReadDeps = Pick<GatewayDeps, "sessionService" | "artifactService">;

/** Which events are wanted; absent means all of them. */
export type EventChoice = Pick<GetSessionConfig, "numRecentEvents" | "afterTimestamp">;

/** The session with all its events as JSON. */
export async function readSessionJson(deps: ReadDeps, key: SessionKey): Promise<string> {
  return (await Array.fromAsync(sessionJsonChunks(deps, key))).join("");
}

/**
 * Size of a chunk: the part of a long history that is in memory while its reader takes it, besides one event's large
 * data.
 */
const CHUNK_CHARACTERS = 512 * 1024;

/**
 * The session with the chosen events as JSON, without parsing any of them. The head is read first and events beyond its
 * revision are left out, so that state and events belong together even while a run writes.
 */
export async function* sessionJsonChunks(
  { sessionService, artifactService }: ReadDeps,
  key: SessionKey,
  { numRecentEvents = Number.POSITIVE_INFINITY, afterTimestamp }: EventChoice = {},
): AsyncGenerator<string, void, undefined> {
  const inlineData = { artifacts: artifactService, session: key };
  const session = await sessionService.getSession(key, { numRecentEvents: 0 });
  if (session === undefined) throw new SessionNotFoundError(key);
  const afterRevision = Math.max(0, session.revision - numRecentEvents);
  const request = {
    ...key,
    afterRevision,
    maxCharacters: CHUNK_CHARACTERS,
    ...(afterTimestamp !== undefined && { afterTimestamp }),
  };
  let chunk = beginning(session);
  let separator = "";
  if (afterRevision < session.revision) {
    pages: for await (const { events } of allPages((place) => sessionService.listEvents({ ...request, ...place }))) {
      for (const { sequence, json } of events) {
        if (sequence > session.revision) break pages;
        chunk += separator + (hasInlineReference(json) ? await restoreEventJson(json, inlineData) : json);
        separator = ",";
        if (chunk.length < CHUNK_CHARACTERS) continue;
        yield chunk;
        chunk = "";
      }
    }
  }
  yield chunk + end(session);
}

function beginning({ id, appName, userId, state }: Session): string {
  return `${JSON.stringify({ id, appName, userId, state }).slice(0, -1)},"events":[`;
}

function end(session: Session): string {
  return `],"lastUpdateTime":${lastUpdateTimeAsDouble(session)}}`;
}
