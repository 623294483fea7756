import type { Role, TaskState } from "@a2a-js/sdk";

/** The values of the SDK's enumerations, which this part can import as types only: the package is optional. */
export const ROLE = { USER: 1, AGENT: 2 } as const satisfies Record<string, Role>;

export const TASK_STATE = {
  UNSPECIFIED: 0,
  SUBMITTED: 1,
  WORKING: 2,
  COMPLETED: 3,
  FAILED: 4,
  CANCELED: 5,
  INPUT_REQUIRED: 6,
  REJECTED: 7,
  AUTH_REQUIRED: 8,
} as const satisfies Record<string, TaskState>;

const ENDS: ReadonlySet<TaskState> = new Set([
  ...[TASK_STATE.COMPLETED, TASK_STATE.FAILED, TASK_STATE.CANCELED, TASK_STATE.REJECTED],
]);
const PAUSES: ReadonlySet<TaskState> = new Set([TASK_STATE.INPUT_REQUIRED, TASK_STATE.AUTH_REQUIRED]);

/** Whether a task in this state takes no further message. */
export function isEnded(state: TaskState): boolean {
  return ENDS.has(state);
}

/** Whether a task in this state waits for a message of its client. */
export function isPaused(state: TaskState): boolean {
  return PAUSES.has(state);
}
