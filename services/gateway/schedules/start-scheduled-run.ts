import { toIsoTime } from "#kit/platform/iso-time.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { Schedule } from "#ports/schedules/schedule.ts";
import type { RouteDeps } from "../deps.ts";
import { ownKey } from "../requests/idempotency.ts";
import { findByKey, orReused } from "../runs/keyed-run.ts";
import { toStartRunRequest } from "../runs/run-request.ts";
import { chooseNames, startRun } from "../runs/start-run.ts";

/** One run of a schedule. */
export interface ScheduledRun {
  /** The run's name within the schedule: its time, or the name of a request. */
  readonly label: string;
  /** The API key whose quotas count. */
  readonly keyId: string | undefined;
}

/**
 * Starts the run, by the door of all runs in the background and under an idempotency key of the schedule and the label: a
 * repeated call returns the run of the first, also if the schedule was changed in between.
 */
export async function startScheduledRun(
  deps: RouteDeps,
  schedule: Schedule,
  { label, keyId }: ScheduledRun,
): Promise<RunRecord> {
  const { id, appName, userId, newMessage, stateDelta, sessionId = `${id}-${label}` } = schedule;
  const idempotencyKey = ownKey("schedule", [id, label]);
  const customMetadata = { schedule: { id, label } };
  const body = { appName, userId, sessionId, newMessage, stateDelta, customMetadata, policy: "enqueue" as const };
  const start = toStartRunRequest({ body, idempotencyKey, keyId }, deps.config);
  const request = { ...start.request, autoCreateSession: true };
  const chosen = chooseNames(deps);
  const run = await orReused(startRun(deps, { ...start, request }, chosen));
  const found = run ?? (await findByKey(deps, start.session, idempotencyKey));
  // Only a run that is not among the newest of a long session: the caller learns that the key was used.
  return found ?? startRun(deps, { ...start, request }, chosen);
}

/** A time as a part of names: 20270131T090000Z. */
export function timeLabel(timeMs: number): string {
  return toIsoTime(timeMs).replaceAll(/[-:]|\.\d+/g, "");
}
