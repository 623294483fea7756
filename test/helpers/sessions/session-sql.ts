import { tenantOf } from "#kit/names/tenant.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionHead } from "#ports/sessions/session-head.ts";

/** `incarnation` is empty in the states that sessions share, and `user` in the state of an app. */
export const SESSION_TABLES = `
  CREATE TABLE heads (
    tenant TEXT, app TEXT, user TEXT, session TEXT, incarnation TEXT, version INTEGER, update_time REAL, json TEXT,
    PRIMARY KEY (tenant, app, user, session)
  );
  CREATE TABLE events (
    incarnation TEXT, sequence INTEGER, id TEXT, invocation TEXT, author TEXT, timestamp REAL, outside INTEGER,
    has_delta INTEGER, json TEXT, PRIMARY KEY (incarnation, sequence)
  );
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY, tenant TEXT, app TEXT, user TEXT, session TEXT, incarnation TEXT, run TEXT,
    idempotency_key TEXT, is_open INTEGER, json TEXT, request TEXT, error TEXT,
    UNIQUE (tenant, run), UNIQUE (incarnation, idempotency_key)
  );
  CREATE TABLE states (
    tenant TEXT, app TEXT, user TEXT, incarnation TEXT, key TEXT, value TEXT,
    PRIMARY KEY (tenant, app, user, incarnation, key)
  );
  CREATE TABLE counts (
    tenant TEXT, scope TEXT, name TEXT, version INTEGER, sessions INTEGER, bytes INTEGER,
    PRIMARY KEY (tenant, scope, name)
  );
  CREATE TABLE deletions (tenant TEXT, user TEXT, started REAL, PRIMARY KEY (tenant, user));`;

export interface OwnerRow {
  readonly tenant: string;
  readonly app: string;
  readonly user: string;
  readonly session: string;
}

export interface HeadRow extends OwnerRow {
  readonly incarnation: string;
  readonly version: number;
  readonly json: string;
}

export interface EventRow {
  readonly sequence: number;
  readonly id: string;
  readonly invocation: string;
  readonly author: string;
  readonly timestamp: number;
  readonly outside: number;
  readonly has_delta: number;
  readonly json: string;
}

export interface RunRow extends OwnerRow {
  readonly number: number;
  readonly run: string;
  readonly json: string;
  readonly request: string;
  readonly error: string | null;
}

export interface StateRow {
  readonly key: string;
  readonly value: string;
}

/** All of a head but its names, and the ids of its runs in place of them. */
export function headJson(head: SessionHead): string {
  const { revision, lastUpdateTime, closedTime, epoch, active, pending, awaiting, historyStart } = head;
  return JSON.stringify({
    ...{ revision, lastUpdateTime, closedTime, epoch, awaiting, historyStart },
    ...{ storedBytes: head.storedBytes, countedIn: head.countedIn, agentRevision: head.agentRevision },
    activeRun: active?.run.runId,
    expiresAt: active?.lease.expiresAt,
    pendingRuns: pending.map(({ runId }) => runId),
  });
}

/** What is not encrypted of a run. */
export function runJson({ session: _session, request: _request, error: _error, ...run }: RunRecord): string {
  return JSON.stringify(run);
}

/** The first columns of a session's rows. */
export function names(key: SessionKey): [string, string, string, string] {
  return [tenantOf(key), key.appName, key.userId, key.id];
}
