import type { TenantScoped } from "#kit/names/tenant.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";

/** The names and times of a run, which are read without its request, error and usage. */
export interface RunOutline
  extends Pick<RunRecord, "runId" | "session" | "status" | "finishedTime" | "answeredBy" | "idempotencyKey"> {
  /** Bytes of the JSON of its request, as the session counts them. */
  readonly requestBytes: number;
}

export interface RunName extends TenantScoped {
  readonly runId: string;
}

export interface WalkRunsOptions {
  /** Only runs that have ended before this time. */
  readonly endedBefore: number;
  /** A place that an earlier walk has returned. Absent: from the first run on. */
  readonly after: readonly string[] | undefined;
  readonly limit: number;
}

export interface WalkedRuns {
  readonly runs: readonly RunOutline[];
  /** The place of the last run that was looked at, if there may be more. */
  readonly last: readonly string[] | undefined;
}

/** The read that an operation declares before it uses `find`. */
export interface OutlinesRead {
  readonly kind: "run-outlines";
  readonly names: readonly RunName[];
}

/** The part of the tables that finds and deletes runs by their age. */
export interface OldRunTables<Head> {
  /** Looks at the next `limit` runs of all tenants, in an order that updates do not change. */
  walk(options: WalkRunsOptions): WalkedRuns;
  /** The named runs that exist. */
  find(names: readonly RunName[]): readonly RunOutline[];
  /** Deletes a run of the session that has ended. The caller changes what the head counts, and saves it. */
  delete(head: Head, run: RunOutline): void;
}
