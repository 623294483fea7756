import { isUserArtifact } from "#kit/artifacts/artifact-key.ts";
import type { ArtifactKey } from "#kit/artifacts/artifact-service.ts";
import { isReservedArtifactName } from "#kit/artifacts/inline-data.ts";
import { inTenant, type TenantScoped } from "#kit/names/tenant.ts";
import { assertOldItems, type DeleteOldRequest, type OldItem } from "#ports/tenants/old-data.ts";

/** One version of a file, with the time of its save. */
export interface AgedVersion extends TenantScoped {
  readonly appName: string;
  readonly userId: string;
  /** Absent for a file of the user. */
  readonly sessionId?: string | undefined;
  readonly filename: string;
  readonly version: number;
  readonly timeMs: number;
}

/** Versions of one file that are to be deleted. */
export interface OldVersions {
  readonly key: ArtifactKey;
  readonly versions: ReadonlySet<number>;
}

const VERSION = /^(?:0|[1-9]\d{0,14})$/;
/** A file of the user has the same place in all sessions. */
const ANY_SESSION = "any";

/**
 * The version as an item whose id is `filename/version`. Undefined for large data of messages: it is a part of its
 * session's events, and is deleted with them.
 */
export function toOldVersion({ tenantId, filename, version, ...rest }: AgedVersion): OldItem | undefined {
  if (isReservedArtifactName(filename)) return undefined;
  return { ...inTenant(tenantId), ...rest, id: `${filename}/${version}` };
}

/** The versions that the items name, by file. Other ids name nothing. Throws `INVALID_FIELD`. */
export function oldVersionsOf(request: DeleteOldRequest): readonly OldVersions[] {
  assertOldItems(request);
  const { tenantId, appName, userId = "", items } = request;
  const files = new Map<string, { readonly key: ArtifactKey; readonly versions: Set<number> }>();
  for (const { sessionId, id } of items) {
    const slash = id.lastIndexOf("/");
    const filename = id.slice(0, Math.max(slash, 0));
    const session = { ...inTenant(tenantId), appName, userId, id: sessionId ?? ANY_SESSION };
    const isNamed = isUserArtifact(filename) === (sessionId === undefined) && !isReservedArtifactName(filename);
    const name = JSON.stringify([session.id, filename]);
    const file = files.get(name) ?? { key: { session, filename }, versions: new Set() };
    files.set(name, file);
    if (isNamed && VERSION.test(id.slice(slash + 1))) file.versions.add(Number(id.slice(slash + 1)));
  }
  return [...files.values()];
}
