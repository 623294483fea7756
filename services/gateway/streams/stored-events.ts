import { hasInlineReference, restoreEventJson } from "#kit/artifacts/inline-data.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ListEventsResponse } from "#kit/sessions/session-service.ts";
import type { GatewayDeps } from "../deps.ts";

/** Characters of one page: the most that a reader which stops taking events keeps in memory. */
const PAGE_CHARACTERS = 512 * 1024;

/** Pages of the session's stored events after the revision. Their large data is not restored. */
export function storedEventPages(
  { sessionService }: Pick<GatewayDeps, "sessionService">,
  session: SessionKey,
  afterRevision: number,
): AsyncIterable<ListEventsResponse> {
  const request = { ...session, afterRevision, maxCharacters: PAGE_CHARACTERS };
  return allPages((place) => sessionService.listEvents({ ...request, ...place }));
}

/** The event's JSON with its large data restored; undefined if the event has none, which is found without waiting. */
export function restoredJson(
  { artifactService }: Pick<GatewayDeps, "artifactService">,
  session: SessionKey,
  json: string,
): Promise<string> | undefined {
  return hasInlineReference(json) ? restoreEventJson(json, { artifacts: artifactService, session }) : undefined;
}
