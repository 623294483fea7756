import { type Part as A2aPart, Role, TaskState, type TaskStatus } from "@a2a-js/sdk";
import { A2AMetadataKey } from "#kit/a2a/conversion/metadata-keys.ts";
import { CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RouteDeps } from "../deps.ts";
import { readWaitingCalls, type WaitingCall } from "../runs/waiting-calls.ts";
import { stateOf } from "./protocol.ts";
import { messageOf, type TaskName } from "./task-updates.ts";

/** The status of a task whose newest run this is, with the calls that it waits for. */
export async function statusOf(
  { sessionService }: Pick<RouteDeps, "sessionService">,
  task: TaskName,
  run: RunRecord,
): Promise<TaskStatus> {
  const timestamp = toIsoTime(statusTime(run));
  const state = stateOf(run);
  if (state !== TaskState.TASK_STATE_INPUT_REQUIRED) return { state, message: failureOf(task, run), timestamp };
  const calls = await readWaitingCalls(sessionService, run);
  const needsCredential = calls.some(({ name }) => name === CREDENTIAL_CALL);
  return {
    state: needsCredential ? TaskState.TASK_STATE_AUTH_REQUIRED : state,
    message: calls.length === 0 ? undefined : questionsOf(task, run, calls),
    timestamp,
  };
}

/** When the run got its status, in milliseconds. */
export function statusTime({ createdTime, startedTime, finishedTime }: RunRecord): number {
  return finishedTime ?? startedTime ?? createdTime;
}

/** Clients of other organisations get the reason and no text of an exception. What an event reports, they have seen. */
function failureOf(task: TaskName, { runId, error, status }: RunRecord): TaskStatus["message"] {
  if (error === undefined || status === "cancelled") return undefined;
  const isPublic = status === "succeeded" || error.reason === "TASK_REJECTED";
  const text = (isPublic && error.message) || `The task has failed: ${error.reason}.`;
  const message = { messageId: `${runId}-end`, role: Role.ROLE_AGENT, parts: [textPart(text)] };
  const metadata = status === "succeeded" ? { [A2AMetadataKey.ERROR_CODE]: error.reason } : undefined;
  return { ...messageOf(task, message), metadata };
}

function questionsOf(task: TaskName, { runId }: RunRecord, calls: readonly WaitingCall[]): TaskStatus["message"] {
  const parts = calls.map(
    ({ id, name, args }): A2aPart => ({
      content: { $case: "data", value: { id, name, args } },
      metadata: { adk_type: "function_call", adk_is_long_running: true },
      filename: "",
      mediaType: "",
    }),
  );
  return messageOf(task, { messageId: `${runId}-input`, role: Role.ROLE_AGENT, parts });
}

function textPart(value: string): A2aPart {
  return { content: { $case: "text", value }, metadata: undefined, filename: "", mediaType: "" };
}
