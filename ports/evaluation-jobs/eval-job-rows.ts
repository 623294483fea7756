import { createHash } from "node:crypto";
import { type JudgeCallKey, judgeKeyText } from "#kit/evaluation/metrics/judge.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { EvalJobKey } from "./eval-job.ts";
import type { NewEvalJob } from "./eval-job-store.ts";

/** Keys of rows. Parts are escaped, so that the rows of different names never overlap. */

export function jobRow(key: EvalJobKey): string {
  return `${jobsOf(key)}${escape(key.jobId)}`;
}

/** The jobs of a tenant. */
export function jobsOf(key: Pick<EvalJobKey, "tenantId">): string {
  return `job/${tenantOf(key)}/`;
}

/** Rows of jobs that have not ended, of all tenants. */
export const OPEN_ROWS = "open/";

export function openRow(key: EvalJobKey): string {
  return `${OPEN_ROWS}${tenantOf(key)}/${escape(key.jobId)}`;
}

/**
 * The key prefixes of a tenant's rows other than job rows and `ended` rows. Job rows and `ended` rows are always
 * written and removed together.
 */
export function othersOf(key: Pick<EvalJobKey, "tenantId">): readonly string[] {
  return ["open", "part", "request", "result"].map((kind) => `${kind}/${tenantOf(key)}/`);
}

/** Rows of jobs that have ended, of all tenants, sorted by the time. */
export const ENDED_ROWS = "ended/";

export function endedRow(key: EvalJobKey, endedTime: number): string {
  return `${ENDED_ROWS}${String(endedTime).padStart(15, "0")}/${tenantOf(key)}/${escape(key.jobId)}`;
}

/** The time of an `endedRow`. */
export function endedTimeOf(row: string): number {
  return Number(row.slice(ENDED_ROWS.length).split("/", 1)[0]);
}

/** The job of an `openRow` or `endedRow`. */
export function jobOfRow(row: string): EvalJobKey {
  const [tenantId, jobId = ""] = row.split("/").slice(-2);
  return { ...inTenant(tenantId), jobId: decodeURIComponent(jobId) };
}

/** Rows of the job itself: its cases, their states, and answers. */
export function partsOf(key: EvalJobKey): string {
  return `part/${tenantOf(key)}/${escape(key.jobId)}/`;
}

export function inputsOf(key: EvalJobKey): string {
  return `${partsOf(key)}input/`;
}

export function inputRow(key: EvalJobKey, index: number): string {
  return `${inputsOf(key)}${digits(index)}`;
}

/** The case of an `inputRow`. */
export function indexOfRow(row: string): number {
  return Number(row.slice(row.lastIndexOf("/") + 1));
}

export function casesOf(key: EvalJobKey): string {
  return `${partsOf(key)}case/`;
}

export function caseRow(key: EvalJobKey, index: number): string {
  return `${casesOf(key)}${digits(index)}`;
}

export function resultsOf(key: EvalJobKey): string {
  return `${partsOf(key)}result/`;
}

export function caseResultRow(key: EvalJobKey, index: number): string {
  return `${resultsOf(key)}${digits(index)}`;
}

export function answersOf(key: EvalJobKey): string {
  return `${partsOf(key)}answer/`;
}

export function answerRow(key: EvalJobKey, question: JudgeCallKey): string {
  return `${answersOf(key)}${digest([judgeKeyText(question)])}`;
}

export function requestRow({ tenantId, appName, requester, idempotencyKey }: NewEvalJob & { idempotencyKey: string }) {
  const name = digest([appName, requester.userId ?? null, idempotencyKey]);
  return `request/${tenantOf({ ...inTenant(tenantId) })}/${name}`;
}

/** The row that reserves the name of a result. */
export function resultRow(
  { appName, evalSetId, ...key }: Pick<NewEvalJob, "tenantId" | "appName" | "evalSetId">,
  timestamp: number,
) {
  return `result/${tenantOf(key)}/${digest([appName, evalSetId, timestamp])}`;
}

function digest(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts), "utf8").digest("hex");
}

function digits(index: number): string {
  return String(index).padStart(8, "0");
}

function escape(name: string): string {
  return encodeURIComponent(name);
}
