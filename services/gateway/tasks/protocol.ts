import { TaskState } from "@a2a-js/sdk";
import { GIVEN_METADATA_KEY, MESSAGE_ID_KEY } from "#kit/a2a/conversion/metadata-keys.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";

/** Of `A2A-Version`, newest first. A patch of a version is not negotiated. */
export const VERSIONS = ["1.0", "0.3"] as const;
export type A2aVersion = (typeof VERSIONS)[number];

/**
 * The extension of resumable streams. The metadata of each update has the position after it, which is the `id` of its
 * server-sent event too; `SubscribeToTask` with the header `Last-Event-ID` continues from there.
 */
export const CURSOR_EXTENSION = "urn:fairlead:a2a:cursor:v1";

/** Members of the custom metadata of a run's message and of an agent's event. */
export const METADATA = {
  /** The metadata of the client's message and of its request. */
  given: GIVEN_METADATA_KEY,
  messageId: MESSAGE_ID_KEY,
  /** An agent's event whose value here is `message` is answered as a message, without a task. */
  answer: "a2a:answer",
} as const;

/**
 * The state of a task whose newest run has this record. What a run waits for decides between the two states of waiting.
 * An answer that reports an error is a task that has failed.
 */
export function stateOf({ status, error }: Pick<RunRecord, "status" | "error">): TaskState {
  if (status === "failed" && error?.reason === "TASK_REJECTED") return TaskState.TASK_STATE_REJECTED;
  if (status === "succeeded" && error !== undefined) return TaskState.TASK_STATE_FAILED;
  return STATES[status];
}

const STATES = {
  pending: TaskState.TASK_STATE_SUBMITTED,
  running: TaskState.TASK_STATE_WORKING,
  awaiting_input: TaskState.TASK_STATE_INPUT_REQUIRED,
  succeeded: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  interrupted: TaskState.TASK_STATE_FAILED,
  timed_out: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
} as const satisfies Record<RunRecord["status"], TaskState>;

/** Media types that agents of this server take and return, unless the file of cards names others. */
export const MEDIA_TYPES: readonly string[] = [
  ...["text/plain", "text/markdown", "text/html", "text/csv", "application/json", "application/pdf"],
  ...["image/png", "image/jpeg", "image/webp", "image/gif"],
  ...["audio/mpeg", "audio/wav", "audio/ogg", "video/mp4", "video/webm"],
];
