import { isUserArtifact } from "#kit/artifacts/artifact-key.ts";
import { type ArtifactKey, USER_FILE_PREFIX } from "#kit/artifacts/artifact-service.ts";
import { escapeSegment, unescapeSegment } from "#kit/names/identifiers.ts";
import { DEFAULT_TENANT, type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

/** The location of the files of a session or a user. */
export interface ArtifactScope {
  /** Ends with a slash. */
  readonly prefix: string;
  /**
   * The file's name, from the path between the prefix and the version; undefined for an object that is not a file of
   * the scope.
   */
  readonly toFilename: (path: string) => string | undefined;
}

/** How artifacts are named in the bucket: an object's name is a prefix and the number of a version. */
export interface ArtifactLayout {
  /**
   * Throws for a key that the layout cannot name. New versions are written under the first prefix; the others are only
   * read and deleted.
   */
  readonly versionPrefixes: (key: ArtifactKey) => readonly [string, ...string[]];
  readonly sessionScope: (session: SessionKey) => ArtifactScope;
  readonly userScope: (session: SessionKey) => ArtifactScope;
  /** The part of a name that is the user's. */
  readonly userSegment: (userId: string) => string;
  /** The names in an object's, without the tenant's prefix and the version; undefined for an object of no file. */
  readonly namesOf: (path: string) => ArtifactNames | undefined;
}

/** The names of an artifact; a file of the user has no session. */
export interface ArtifactNames {
  readonly appName: string;
  readonly userId: string;
  readonly sessionId?: string;
  readonly filename: string;
}

/** Contains the objects of all tenants but the default one. No escaped identifier begins with `_`. */
export const TENANTS_FOLDER = "_tenants";

/** The part of a name that all objects of a tenant have in common. */
export function tenantPrefix(tenant: TenantScoped): string {
  const tenantId = tenantOf(tenant);
  return tenantId === DEFAULT_TENANT ? "" : `${TENANTS_FOLDER}/${tenantId}/`;
}

/**
 * `{app}/{user}/s/{session}/{filename}/{version}` and, for files of the user, `{app}/{user}/u/{filename}/{version}`,
 * below `_tenants/{tenant}/` for tenants other than the default one.
 */
export const fairleadLayout: ArtifactLayout = {
  versionPrefixes: ({ session, filename }) => {
    if (!isUserArtifact(filename)) return [`${sessionPrefix(session)}${escapeSegment(filename)}/`];
    return [`${userPrefix(session)}${escapeSegment(filename.slice(USER_FILE_PREFIX.length))}/`];
  },
  sessionScope: (session) => ({ prefix: sessionPrefix(session), toFilename: unescapeSegment }),
  userScope: (session) => ({ prefix: userPrefix(session), toFilename: toUserFilename }),
  userSegment: escapeSegment,
  namesOf,
};

function namesOf(path: string): ArtifactNames | undefined {
  const segments = path.split("/").map(unescapeSegment);
  const [appName, userId, scope, first, second] = segments;
  if (appName === undefined || userId === undefined || first === undefined) return undefined;
  if (scope === "u") return { appName, userId, filename: USER_FILE_PREFIX + first };
  return scope === "s" && second !== undefined ? { appName, userId, sessionId: first, filename: second } : undefined;
}

function sessionPrefix({ id, ...owner }: SessionKey): string {
  return `${ownerPrefix(owner)}s/${escapeSegment(id)}/`;
}

function userPrefix(owner: Omit<SessionKey, "id">): string {
  return `${ownerPrefix(owner)}u/`;
}

function ownerPrefix({ appName, userId, ...tenant }: Omit<SessionKey, "id">): string {
  return `${tenantPrefix(tenant)}${escapeSegment(appName)}/${escapeSegment(userId)}/`;
}

function toUserFilename(segment: string): string | undefined {
  const name = unescapeSegment(segment);
  return name === undefined ? undefined : USER_FILE_PREFIX + name;
}
