import { EVENTS_SUBCOLLECTION_NAME } from "#kit/sessions/document-keys.ts";
import {
  type CollectionQuery,
  DOCUMENT_NAME,
  type DocumentVersion,
  type FirestoreDatabase,
  type StoredDocument,
} from "../database/firestore-database.ts";
import { LostPreconditionError } from "../database/firestore-errors.ts";
import { toWireValue } from "../database/firestore-values.ts";
import { isTombstone, tombstoneCheck } from "./head-document.ts";
import { RUN_SESSION_FIELD } from "./run-document.ts";
import { RUN_KEYS_COLLECTION, RUNS_COLLECTION } from "./session-paths.ts";

const PAGE_SIZE = 400;
const MAX_ATTEMPTS = 20;

/**
 * Removes all documents of a session whose head is marked as deleted, the head last. Each page is removed under the
 * condition that the head is unchanged: a second or late remover cannot remove documents of a new session with the same
 * id.
 */
export async function removeSession(
  database: FirestoreDatabase,
  runsParent: string,
  tombstone: StoredDocument,
): Promise<void> {
  let found: StoredDocument | undefined = tombstone;
  for (let attempt = 1; found !== undefined; attempt += 1) {
    try {
      await removePages(database, runsParent, found);
      return;
    } catch (error) {
      if (!(error instanceof LostPreconditionError) || attempt >= MAX_ATTEMPTS) throw error;
      found = (await database.read([tombstone.path])).get(tombstone.path);
      const same = found?.fields["incarnation"] === tombstone.fields["incarnation"];
      if (found === undefined || !isTombstone(found) || !same) return;
    }
  }
}

async function removePages(database: FirestoreDatabase, runsParent: string, tombstone: StoredDocument): Promise<void> {
  const { path } = tombstone;
  let version: DocumentVersion = tombstone.version;
  for (const query of belongings(path, runsParent)) {
    for (let page = await database.query(query); page.length > 0; page = await database.query(query)) {
      const deletions = page.map((document) => ({ kind: "delete", path: document.path }) as const);
      const [changed] = await database.commit([tombstoneCheck(path, version), ...deletions]);
      version = changed ?? version;
    }
  }
  await database.commit([{ kind: "delete", path, expect: version }]);
}

function belongings(path: string, runsParent: string): readonly CollectionQuery[] {
  const page = { select: [DOCUMENT_NAME], limit: PAGE_SIZE };
  const ofSession = { field: RUN_SESSION_FIELD, op: "EQUAL", value: toWireValue(path) } as const;
  return [
    { parent: runsParent, collection: RUNS_COLLECTION, where: [ofSession], ...page },
    { parent: path, collection: RUN_KEYS_COLLECTION, ...page },
    { parent: path, collection: EVENTS_SUBCOLLECTION_NAME, ...page },
  ];
}
