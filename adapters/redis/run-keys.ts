import { PlatformError } from "#kit/errors/platform-error.ts";
import { DEFAULT_TENANT, type TenantScoped } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { sessionName } from "#ports/runs/session-watchers.ts";

export const DEFAULT_KEY_PREFIX = "fairlead";

/**
 * The first part of the keys and channels of a tenant. The families of keys of the tenant `default` follow the prefix
 * itself, and none of them is named `tenants`.
 */
export function tenantPrefix(prefix: string, tenantId = DEFAULT_TENANT): string {
  return tenantId === DEFAULT_TENANT ? prefix : `${prefix}:tenants:${tenantId}`;
}

/** The names that the keys of a run are built from. */
export interface RunKeyNames extends TenantScoped {
  readonly runId: string;
  /** Random, so that who knows the run's id does not know its keys. Runs of earlier versions have none. */
  readonly streamKey?: string | undefined;
}

/** The keys of one run. The braces put them into one slot of a cluster, so that one script can use them all. */
export interface RunKeys {
  /** Stream: one entry for each batch. */
  readonly log: string;
  /** Hash: the position last written, whether the run has ended, how many bytes the log has. */
  readonly head: string;
  readonly channel: string;
}

export function runKeys(prefix: string, { runId, streamKey = runId, tenantId }: RunKeyNames): RunKeys {
  const base = `${tenantPrefix(prefix, tenantId)}:{${streamKey}}`;
  return { log: `${base}:log`, head: `${base}:head`, channel: `${base}:live` };
}

/** The channel for changes of a session. Messages have no content. */
export function sessionChannel(prefix: string, { tenantId, appName, userId, id }: SessionKey): string {
  return `${tenantPrefix(prefix, tenantId)}:session:${sessionName({ appName, userId, id })}`;
}

/** Throws for a prefix that would determine the slot instead of the run. */
export function checkKeyPrefix(prefix: string): string {
  if (/^[^{}\s]{1,100}$/.test(prefix)) return prefix;
  throw new PlatformError(
    "CONFIGURATION",
    "The key prefix for Redis must have 1 to 100 characters, none of them a brace or white space.",
  );
}
