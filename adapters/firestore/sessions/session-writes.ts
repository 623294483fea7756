import type { JsonObject } from "#kit/platform/json.ts";
import { STATE_KEY } from "#kit/sessions/document-keys.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RunChange, SessionChange } from "#ports/sessions/network/session-database.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import { assertDocumentBytes } from "../database/document-size.ts";
import type { DocumentVersion, DocumentWrite } from "../database/firestore-database.ts";
import { eventBytes, toEventFields } from "./event-document.ts";
import { createHeadWrite, type FirestoreHead, updateHeadWrite } from "./head-document.ts";
import {
  RUN_ANSWER_FIELDS,
  RUN_PROGRESS_FIELDS,
  toAnswerFields,
  toProgressFields,
  toRunFields,
} from "./run-document.ts";
import { eventPath, runKeyPath, type SessionPaths } from "./session-paths.ts";
import { type KeyedText, toStateFields } from "./state-fields.ts";

type Change = SessionChange<DocumentVersion>;

/** The writes of documents that store a change of one session. */
export interface SessionWrites {
  /** Comes before all others. */
  readonly head: DocumentWrite;
  readonly events: readonly DocumentWrite[];
  readonly eventBytes: number;
  readonly others: readonly DocumentWrite[];
}

/** Where the documents are, and how their content is encrypted. */
export interface SessionPlaces {
  readonly paths: SessionPaths;
  readonly content: SessionContent;
}

/** Throws `EVENT_TOO_LARGE` and `INVALID_FIELD` for what no document can hold. */
export function toSessionWrites(change: Change, { paths, content }: SessionPlaces): SessionWrites {
  const { kind, head, events } = change;
  const path = paths.head(head.key);
  const sealed = events.map((event) => ({ ...event, json: content.sealEvent(head.key, event.sequence, event.json) }));
  const sizes = sealed.map(eventBytes);
  const state = toStateFields(change.state, (key, json) => content.sealState(head.key, json, key));
  return {
    head: kind === "create" ? createHeadWrite(path, head, state) : updateHeadWrite(path, change, state),
    events: sealed.map((event) => ({
      kind: "create",
      path: eventPath(path, event.sequence),
      fields: toEventFields(event),
    })),
    eventBytes: sizes.reduce((sum, size) => sum + size, 0),
    others: [
      ...change.runs.flatMap((run) => runWrites(head, run, { paths, content })),
      ...sharedWrites("app", paths.appState(head.key), change.app, head.key, content),
      ...sharedWrites("user", paths.userState(head.key), change.user, head.key, content),
      ...countWrites(change, paths),
    ],
  };
}

/** The changes of what is counted, which come with the deletion of a session too. */
export function countWrites({ counts }: Change, paths: SessionPaths): readonly DocumentWrite[] {
  return counts.map(({ count, change, expect }) => {
    return { kind: "add", path: paths.stored(count), amounts: { ...change }, expect };
  });
}

function runWrites({ key }: FirestoreHead, change: RunChange, { paths, content }: SessionPlaces): DocumentWrite[] {
  const headPath = paths.head(key);
  const path = paths.run(change.kind === "answer" ? change.runId : change.run.runId, key);
  switch (change.kind) {
    case "insert": {
      const { run } = change;
      const fields = toRunFields(run, headPath, content);
      assertDocumentBytes("The request of a run", Buffer.byteLength(String(fields["request"])));
      const write: DocumentWrite = { kind: "create", path, fields };
      if (run.idempotencyKey === undefined) return [write];
      const keyPath = runKeyPath(headPath, run.idempotencyKey);
      return [write, { kind: "create", path: keyPath, fields: { runId: run.runId } }];
    }
    case "update":
      return [existing(path, toProgressFields(change.run, content), RUN_PROGRESS_FIELDS)];
    case "delete": {
      const { idempotencyKey } = change.run;
      const ownKey = idempotencyKey === undefined ? [] : [runKeyPath(headPath, idempotencyKey)];
      return [path, ...ownKey].map((deleted) => ({ kind: "delete", path: deleted }));
    }
    case "answer":
      return [existing(path, toAnswerFields(change.answeredBy), RUN_ANSWER_FIELDS)];
    default:
      return change satisfies never;
  }
}

function existing(path: string, fields: ReturnType<typeof toAnswerFields>, mask: readonly string[]): DocumentWrite {
  return { kind: "update", path, fields, mask, expect: "exists" };
}

function sharedWrites(
  scope: "app" | "user",
  path: string,
  delta: JsonObject,
  owner: SessionKey,
  content: SessionContent,
): readonly DocumentWrite[] {
  if (Object.keys(delta).length === 0) return [];
  const seal: KeyedText = (key, json) => content.sealShared(scope, owner, key, json);
  const { values, mask } = toStateFields(delta, seal);
  return [{ kind: "update", path, fields: { [STATE_KEY]: values }, mask }];
}
