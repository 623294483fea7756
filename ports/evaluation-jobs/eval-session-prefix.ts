import { EVALUATION_SESSION_PREFIX } from "#kit/events/state-prefixes.ts";

/** The start of the ids of a job's sessions, and of no others: whoever runs the job's cases may access only these. */
export function evalSessionPrefix(jobId: string): string {
  return `${EVALUATION_SESSION_PREFIX}${jobId}-`;
}
