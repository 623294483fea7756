import type { AppScope } from "#kit/names/app-scope.ts";
import { escapeSegment } from "#kit/names/identifiers.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";
import { APP_STATE_COLLECTION, EVENTS_SUBCOLLECTION_NAME } from "#kit/sessions/document-keys.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { MeteredKind, StorageCount } from "#ports/storage-limits/storage-limits.ts";
import { appPath, DEFAULT_ROOT_COLLECTION, tenantRoot, userPath } from "../database/user-paths.ts";

export const RUNS_COLLECTION = "runs";
export const RUN_KEYS_COLLECTION = "run-keys";
export const SESSIONS_COLLECTION = "sessions";
export const USER_STATE_COLLECTION = "user-state";

/** No escaped identifier begins with `_`, so no app has this name. */
const RUNS_PARENT = "_";
const SEQUENCE_DIGITS = 12;

/** The paths of the documents of sessions and runs. */
export class SessionPaths {
  readonly #root: string;

  constructor(root = DEFAULT_ROOT_COLLECTION) {
    this.#root = root;
  }

  head(key: SessionKey): string {
    return `${this.user(key)}/${SESSIONS_COLLECTION}/${escapeSegment(key.id)}`;
  }

  user(owner: Omit<SessionKey, "id">): string {
    return userPath(this.#root, owner);
  }

  appState(app: AppScope): string {
    return `${appPath(this.#root, app)}/${APP_STATE_COLLECTION}/current`;
  }

  userState(owner: Omit<SessionKey, "id">): string {
    return `${this.user(owner)}/${USER_STATE_COLLECTION}/current`;
  }

  /** The parent document of the runs of all sessions of a tenant. */
  runsParent({ tenantId }: TenantScoped): string {
    return `${tenantRoot(this.#root, tenantId)}/${RUNS_PARENT}`;
  }

  run(runId: string, tenant: TenantScoped): string {
    return `${this.runsParent(tenant)}/${RUNS_COLLECTION}/${escapeSegment(runId)}`;
  }

  /** The document with the amounts of a name. */
  stored(count: StorageCount): string {
    return `${this.runsParent(count)}/stored/${count.scope}:${escapeSegment(count.name)}`;
  }

  /** The document with the amounts of other data than sessions. */
  metered(kind: MeteredKind, count: StorageCount): string {
    return `${this.runsParent(count)}/stored/${kind}:${count.scope}:${escapeSegment(count.name)}`;
  }

  /** Whether the document is of a run of any tenant: the database may contain collections of other platforms too. */
  isRun(path: string): boolean {
    return path.startsWith(`${this.#root}/${RUNS_PARENT}/`);
  }
}

export function eventPath(headPath: string, sequence: number): string {
  return `${headPath}/${EVENTS_SUBCOLLECTION_NAME}/${String(sequence).padStart(SEQUENCE_DIGITS, "0")}`;
}

/** The sequence in an event's path. */
export function eventSequence(path: string): number {
  return Number(path.slice(path.lastIndexOf("/") + 1));
}

/** The document that names the run with an idempotency key. */
export function runKeyPath(headPath: string, idempotencyKey: string): string {
  return `${headPath}/${RUN_KEYS_COLLECTION}/${escapeSegment(idempotencyKey)}`;
}
