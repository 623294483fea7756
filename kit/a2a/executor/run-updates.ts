import type { TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { A2AMetadataKey } from "#kit/a2a/conversion/metadata-keys.ts";
import { TASK_STATE } from "#kit/a2a/conversion/protocol.ts";
import { type TaskPlace, toArtifactUpdate, toStatusUpdate } from "#kit/a2a/conversion/to-a2a.ts";
import type { Part } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { OpenCalls } from "#kit/events/open-calls.ts";
import { CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";

/** Whether each event of an agent, or the whole run, is one artifact. */
export const OutputMode = { ARTIFACT_PER_EVENT: "ARTIFACT_PER_EVENT", ARTIFACT_PER_RUN: "ARTIFACT_PER_RUN" } as const;
export type OutputMode = (typeof OutputMode)[keyof typeof OutputMode];

/** Makes the updates of a task from the events of its run. */
export class RunUpdates {
  readonly #place: TaskPlace;
  readonly #mode: OutputMode;
  readonly #ids: IdGenerator;
  /** The artifact of the run, or of each author whose chunks are being sent. */
  readonly #artifacts = new Map<string, string>();
  readonly #open = new OpenCalls("user");
  readonly #waiting: Part[] = [];
  #last: Event | undefined;
  #failed: Event | undefined;

  constructor({ taskId, contextId }: TaskPlace, mode: OutputMode, ids: IdGenerator) {
    this.#place = { taskId, contextId };
    this.#mode = mode;
    this.#ids = ids;
  }

  /** The update that shows the event; undefined if it has nothing to show. Calls that wait are part of the end. */
  take(event: Event): TaskArtifactUpdateEvent | undefined {
    if (event.partial !== true) {
      this.#open.watch(event);
      this.#last = event;
      if (event.errorCode !== undefined) this.#failed = event;
    }
    const shown = this.#withoutWaiting(event);
    if (this.#mode === OutputMode.ARTIFACT_PER_EVENT) return this.#perEvent(shown);
    // The complete event has the text of its chunks once more: an artifact of appended parts would have it twice.
    if (event.partial === true) return undefined;
    const known = this.#artifacts.get("");
    const update = toArtifactUpdate(shown, {
      ...this.#place,
      artifactId: known ?? this.#ids.next(),
      append: known !== undefined,
    });
    if (update?.artifact !== undefined) this.#artifacts.set("", update.artifact.artifactId);
    return update;
  }

  /** The last status of the run: it waits for answers, has failed, or is complete. */
  end(): TaskStatusUpdateEvent {
    const waiting = this.#waiting.filter(({ functionCall }) => this.#open.has(functionCall?.id ?? ""));
    if (this.#last !== undefined && waiting.length > 0) {
      const needsCredential = waiting.some(({ functionCall }) => functionCall?.name === CREDENTIAL_CALL);
      const state = needsCredential ? TASK_STATE.AUTH_REQUIRED : TASK_STATE.INPUT_REQUIRED;
      const { id, invocationId, author, timestamp } = this.#last;
      const longRunningToolIds = waiting.flatMap(({ functionCall }) => functionCall?.id ?? []);
      const question = { id, invocationId, author, timestamp, longRunningToolIds };
      return toStatusUpdate(createEvent({ ...question, content: { role: "model", parts: waiting } }), {
        ...this.#place,
        state,
      });
    }
    const state = this.#failed === undefined ? TASK_STATE.COMPLETED : TASK_STATE.FAILED;
    const metadata = this.#failed && { [A2AMetadataKey.ERROR_CODE]: this.#failed.errorCode };
    const timestamp = this.#last && toIsoTime(this.#last.timestamp);
    return { ...this.#place, status: { state, message: undefined, timestamp }, metadata };
  }

  #perEvent(event: Event): TaskArtifactUpdateEvent | undefined {
    const { author, partial = false } = event;
    const known = this.#artifacts.get(author);
    const artifactId = known ?? this.#ids.next();
    // The complete event replaces its chunks.
    const update = toArtifactUpdate(event, { ...this.#place, artifactId, append: partial && known !== undefined });
    if (update === undefined) return undefined;
    if (partial) this.#artifacts.set(author, artifactId);
    else this.#artifacts.delete(author);
    return update;
  }

  #withoutWaiting(event: Event): Event {
    const { content, longRunningToolIds = [], partial } = event;
    if (longRunningToolIds.length === 0) return event;
    const parts: Part[] = [];
    for (const part of content?.parts ?? []) {
      const id = part.functionCall?.id;
      if (id === undefined || !longRunningToolIds.includes(id)) parts.push(part);
      else if (partial !== true) this.#waiting.push(part);
    }
    return { ...event, content: { ...content, parts } };
  }
}
