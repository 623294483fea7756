import type { SessionChange } from "#ports/sessions/network/session-database.ts";
import type { DocumentVersion, DocumentWrite, FirestoreDatabase } from "../database/firestore-database.ts";
import { type FirestoreHead, publishHeadWrite, stagedHeadWrite, tombstoneCheck } from "./head-document.ts";
import type { SessionWrites } from "./session-writes.ts";

/** The store's documented limit of writes in one commit. */
const MAX_WRITES = 500;
/** Servers with gRPC's default limit refuse requests over 4 MiB; the last MiB is for the data around the events. */
export const MAX_EVENT_BYTES_PER_COMMIT = 3 * 1024 * 1024;
/** The bytes that an event may need in addition to its JSON, for its names and header. */
export const EVENT_OVERHEAD_BYTES = 2048;

/** Commits all changes of an operation together and returns the head's new version. */
export async function commitSession(
  database: FirestoreDatabase,
  { kind, head }: SessionChange<DocumentVersion>,
  writes: SessionWrites,
): Promise<DocumentVersion> {
  const { events, others } = writes;
  const fits = events.length + others.length < MAX_WRITES && writes.eventBytes <= MAX_EVENT_BYTES_PER_COMMIT;
  if (!fits && kind === "create") return commitStaged(database, head, writes);
  const [version] = await database.commit([writes.head, ...events, ...others]);
  return version ?? {};
}

/** A new session whose history does not fit into one commit: it is visible only after its last part is stored. */
async function commitStaged(
  database: FirestoreDatabase,
  head: FirestoreHead,
  { head: headWrite, events, others }: SessionWrites,
): Promise<DocumentVersion> {
  const { path } = headWrite;
  let [version = {}] = await database.commit([stagedHeadWrite(path, head)]);
  for (const page of pagesOf(events)) {
    [version = version] = await database.commit([tombstoneCheck(path, version), ...page]);
  }
  [version = version] = await database.commit([publishHeadWrite(headWrite, version), ...others]);
  return version;
}

function pagesOf(events: readonly DocumentWrite[]): readonly (readonly DocumentWrite[])[] {
  return splitBySize(events, (event) =>
    event.kind === "create" ? Buffer.byteLength(String(event.fields["json"])) : 0,
  );
}

/** Splits the items, in order, into as many parts as are needed for each to fit into one commit. */
export function splitBySize<T>(items: readonly T[], bytesOf: (item: T) => number): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let part: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const more = bytesOf(item) + EVENT_OVERHEAD_BYTES;
    if (part.length >= MAX_EVENTS_PER_COMMIT || (part.length > 0 && bytes + more > MAX_EVENT_BYTES_PER_COMMIT)) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += more;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** Leaves room for the head, the run, its key and the shared states. */
const MAX_EVENTS_PER_COMMIT = MAX_WRITES - 10;
