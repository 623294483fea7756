import { unescapeSegment } from "#kit/names/identifiers.ts";
import { inTenant } from "#kit/names/tenant.ts";
import {
  APP_NAME_KEY,
  APP_STATE_COLLECTION,
  ID_KEY,
  STATE_KEY,
  UPDATE_TIME_KEY,
  USER_ID_KEY,
} from "#kit/sessions/document-keys.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { IdleHeads, IdleOptions } from "#ports/sessions/session-tables.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import type { PlacedItem } from "#ports/tenants/data-pages.ts";
import { DOCUMENT_NAME, type StoredDocument } from "../database/firestore-database.ts";
import type { OwnedDocuments } from "../database/owned-documents.ts";
import { SESSIONS_COLLECTION, USER_STATE_COLLECTION } from "./session-paths.ts";
import { toStateScope } from "./state-fields.ts";

/** The names in the path of a document below an app: `{app}/users/{user}/{collection}/{id}` or `{app}/{collection}/{id}`. */
function namesIn({ path }: StoredDocument, collection: string) {
  const segments = path.split("/");
  const [id = "", own, ...parents] = segments.reverse().map(unescapeSegment);
  if (own !== collection) return undefined;
  const [userId = "", users, appName = ""] = parents;
  return users === "users" ? { appName, userId, id } : { appName: parents[0] ?? "", userId: "", id };
}

/** The sessions of the owner. */
export async function* ownedSessionKeys(
  documents: OwnedDocuments,
  owner: DataOwner,
): AsyncGenerator<SessionKey, void, undefined> {
  for await (const { key } of sessionsAfter(documents, owner, undefined)) yield key;
}

async function* sessionsAfter(
  documents: OwnedDocuments,
  owner: DataOwner,
  after: string | undefined,
): AsyncGenerator<{ readonly key: SessionKey; readonly path: string }, void, undefined> {
  const found = documents.inCollections(owner, SESSIONS_COLLECTION, { after, select: [DOCUMENT_NAME] });
  for await (const document of found) {
    const names = namesIn(document, SESSIONS_COLLECTION);
    if (names !== undefined) yield { key: { ...inTenant(owner.tenantId), ...names }, path: document.path };
  }
}

/**
 * As `SessionTables.listIdle`, in the order of paths: an index of all sessions by time would be written by each append, at
 * its newest end. A deleted session whose documents were not all removed counts as one that still exists.
 */
export async function listIdleSessions(
  documents: OwnedDocuments,
  { updatedBefore, after, limit }: IdleOptions,
): Promise<IdleHeads> {
  const select = ["tenantId", APP_NAME_KEY, USER_ID_KEY, ID_KEY, UPDATE_TIME_KEY];
  const page = await documents.firstOfAll(SESSIONS_COLLECTION, { after: after?.id, select, limit });
  const sessions = page.flatMap(({ fields }) => {
    // Written by `createHeadWrite`. A session that is only being created has no time yet.
    const { tenantId, [APP_NAME_KEY]: appName, [USER_ID_KEY]: userId, [ID_KEY]: id } = fields as Record<string, string>;
    const lastUpdateTime = fields[UPDATE_TIME_KEY];
    if (typeof lastUpdateTime !== "number" || lastUpdateTime >= updatedBefore) return [];
    if (appName === undefined || userId === undefined || id === undefined) return [];
    return { key: { ...inTenant(tenantId), appName, userId, id }, lastUpdateTime };
  });
  const last = page.length < limit ? undefined : page.at(-1);
  return { sessions, last: last && { number: 0, id: last.path } };
}

/** Sessions, then states of users, then states of apps. */
export async function* ownedSessionItems(
  { documents, content }: { readonly documents: OwnedDocuments; readonly content: SessionContent },
  owner: DataOwner,
  [phase = "1", after]: readonly string[] = [],
): AsyncGenerator<PlacedItem, void, undefined> {
  if (phase === "1") {
    for await (const { key, path } of sessionsAfter(documents, owner, after)) {
      const { appName, userId, id } = key;
      yield { item: { kind: "session", appName, userId, id }, place: ["1", path] };
    }
  }
  if (phase <= "2") {
    const from = phase === "2" ? { after } : {};
    for await (const document of documents.inCollections(owner, USER_STATE_COLLECTION, from)) {
      const names = namesIn(document, USER_STATE_COLLECTION);
      if (names === undefined) continue;
      const { appName, userId } = names;
      const scope = { ...inTenant(owner.tenantId), appName, userId };
      const open = (key: string, text: string) => content.openShared("user", scope, key, text);
      const state = toStateScope(document.fields[STATE_KEY], open).copy();
      yield { item: { kind: "user-state", appName, userId, state }, place: ["2", document.path] };
    }
  }
  if (owner.userId !== undefined) return;
  const from = phase === "3" ? { after } : {};
  for await (const document of documents.inCollections(owner, APP_STATE_COLLECTION, from)) {
    const names = namesIn(document, APP_STATE_COLLECTION);
    if (names === undefined) continue;
    const { appName } = names;
    const scope = { ...inTenant(owner.tenantId), appName, userId: "" };
    const open = (key: string, text: string) => content.openShared("app", scope, key, text);
    const state = toStateScope(document.fields[STATE_KEY], open).copy();
    yield { item: { kind: "app-state", appName, state }, place: ["3", document.path] };
  }
}
