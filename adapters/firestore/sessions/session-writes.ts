import type { StoredEvent } from "#kit/events/event-record.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { STATE_KEY } from "#kit/sessions/document-keys.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { setOwn } from "#kit/sessions/state-delta.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import type { StoredAmounts } from "#ports/storage-limits/storage-limits.ts";
import { assertDocumentBytes } from "../database/document-size.ts";
import type { DocumentVersion, DocumentWrite } from "../database/firestore-database.ts";
import { CountWrites } from "./count-document.ts";
import { eventBytes, toEventFields } from "./event-document.ts";
import { createHeadWrite, type FirestoreHead, updateHeadWrite } from "./head-document.ts";
import {
  RUN_ANSWER_FIELDS,
  RUN_PROGRESS_FIELDS,
  toAnswerFields,
  toProgressFields,
  toRunFields,
} from "./run-document.ts";
import { eventPath, runKeyPath } from "./session-paths.ts";
import { type KeyedText, toStateFields } from "./state-fields.ts";

type Delta = Record<string, JsonValue>;

/** The changes of one session by one operation, collected until they are committed together. */
export class SessionWrites {
  readonly #content: SessionContent;
  readonly #shared = new Map<string, { readonly delta: Delta; readonly seal: KeyedText }>();
  readonly #session: Delta = {};
  readonly #runs: DocumentWrite[] = [];
  readonly #events: DocumentWrite[] = [];
  readonly #counts = new CountWrites();
  #eventBytes = 0;
  #head: FirestoreHead | undefined;
  #created = false;
  #deleted: FirestoreHead | undefined;

  constructor(content: SessionContent) {
    this.#content = content;
  }

  /** The session that changes. */
  get head(): FirestoreHead | undefined {
    return this.#head;
  }

  /** The session that is deleted. */
  get deleted(): FirestoreHead | undefined {
    return this.#deleted;
  }

  /** Whether the session is new. */
  get created(): boolean {
    return this.#created;
  }

  /** Bytes of the events. */
  get eventBytes(): number {
    return this.#eventBytes;
  }

  get events(): readonly DocumentWrite[] {
    return this.#events;
  }

  /** The head's write, which comes before all others. */
  headWrite(head: FirestoreHead): DocumentWrite {
    const state = toStateFields(this.#session, (key, json) => this.#content.sealState(head.key, json, key));
    return this.#created ? createHeadWrite(head, state) : updateHeadWrite(head, state);
  }

  /** Everything but the head and the events. */
  otherWrites(): readonly DocumentWrite[] {
    const shared = [...this.#shared].map(([path, { delta, seal }]): DocumentWrite => {
      const { values, mask } = toStateFields(delta, seal);
      return { kind: "update", path, fields: { [STATE_KEY]: values }, mask };
    });
    return [...this.#runs, ...shared, ...this.#counts.writes];
  }

  /** The changes of what is counted, which come with the deletion of a session too. */
  get counts(): readonly DocumentWrite[] {
    return this.#counts.writes;
  }

  addStored(path: string, change: StoredAmounts, expect: DocumentVersion | "missing" | undefined): void {
    this.#counts.add(path, change, expect);
  }

  create(head: FirestoreHead): void {
    this.#head = head;
    this.#created = true;
  }

  save(head: FirestoreHead): void {
    this.#head = head;
  }

  delete(head: FirestoreHead): void {
    this.#deleted = head;
  }

  insertEvent(head: FirestoreHead, event: StoredEvent): void {
    const sealed = { ...event, json: this.#content.sealEvent(head.key, event.sequence, event.json) };
    this.#eventBytes += eventBytes(sealed);
    const fields = toEventFields(sealed);
    this.#events.push({ kind: "create", path: eventPath(head.path, event.sequence), fields });
    this.save(head);
  }

  insertRun(head: FirestoreHead, path: string, run: RunRecord): void {
    const fields = toRunFields(run, head.path, this.#content);
    assertDocumentBytes("The request of a run", Buffer.byteLength(String(fields["request"])));
    this.#runs.push({ kind: "create", path, fields });
    if (run.idempotencyKey !== undefined) {
      const key = runKeyPath(head.path, run.idempotencyKey);
      this.#runs.push({ kind: "create", path: key, fields: { runId: run.runId } });
    }
    this.save(head);
  }

  updateRun(head: FirestoreHead, path: string, run: RunRecord): void {
    this.#runs.push({
      kind: "update",
      path,
      fields: toProgressFields(run, this.#content),
      mask: RUN_PROGRESS_FIELDS,
      expect: "exists",
    });
    this.save(head);
  }

  saveAnswer(head: FirestoreHead, path: string, answeredBy: string): void {
    this.#runs.push({
      kind: "update",
      path,
      fields: toAnswerFields(answeredBy),
      mask: RUN_ANSWER_FIELDS,
      expect: "exists",
    });
    this.save(head);
  }

  applySessionDelta(head: FirestoreHead, delta: JsonObject): void {
    addTo(this.#session, delta);
    this.save(head);
  }

  applySharedDelta(path: string, delta: JsonObject, seal: KeyedText): void {
    if (Object.keys(delta).length === 0) return;
    const known = this.#shared.get(path)?.delta ?? {};
    addTo(known, delta);
    this.#shared.set(path, { delta: known, seal });
  }

  sessionDelta(): JsonObject {
    return this.#session;
  }

  sharedDelta(path: string): JsonObject {
    return this.#shared.get(path)?.delta ?? {};
  }
}

/** Adds a delta to another; later values win. */
function addTo(target: Delta, delta: JsonObject): void {
  for (const [key, value] of Object.entries(delta)) setOwn(target, key, value);
}
