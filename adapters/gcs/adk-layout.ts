import { isUserArtifact } from "#kit/artifacts/artifact-key.ts";
import { USER_FILE_PREFIX } from "#kit/artifacts/artifact-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type ArtifactLayout, TENANTS_FOLDER, tenantPrefix } from "#ports/artifacts/bucket/artifact-layout.ts";

/** Replaces the session in the names of a user's files. */
const USER_SCOPE = "user";

/**
 * The names of other ADK servers: `{app}/{user}/{session}/{filename}/{version}` and, for files of the user,
 * `{app}/{user}/user/{filename}/{version}`, nothing escaped. Most of them keep the prefix `user:` in the file's name,
 * some omit it: both are read, and the former is written. Other ADK servers have no tenants: those other than the default
 * one are below `_tenants/{tenant}/`.
 */
export const adkLayout: ArtifactLayout = {
  versionPrefixes: ({ session, filename }) => {
    if (!isUserArtifact(filename)) return [`${sessionPrefix(session)}${filename}/`];
    const prefix = userPrefix(session);
    return [`${prefix}${filename}/`, `${prefix}${filename.slice(USER_FILE_PREFIX.length)}/`];
  },
  sessionScope: (session) => ({
    prefix: sessionPrefix(session),
    toFilename: (path) => (path === "" || isUserArtifact(path) ? undefined : path),
  }),
  userScope: (session) => ({
    prefix: userPrefix(session),
    toFilename: toUserFilename,
  }),
  userSegment: (userId) => segment("userId", userId),
  namesOf: (path) => {
    const [appName, userId, scope, ...rest] = path.split("/");
    const filename = rest.join("/");
    if (appName === undefined || userId === undefined || scope === undefined || filename === "") return undefined;
    if (scope !== USER_SCOPE) return { appName, userId, sessionId: scope, filename };
    return { appName, userId, filename: toUserFilename(filename) ?? filename };
  },
};

function toUserFilename(path: string): string | undefined {
  if (path === "" || path === USER_FILE_PREFIX) return undefined;
  return isUserArtifact(path) ? path : USER_FILE_PREFIX + path;
}

function sessionPrefix(session: SessionKey): string {
  if (session.id === USER_SCOPE)
    throw unfit("sessionId", `is "${USER_SCOPE}", which the layout uses for files of users`);
  return `${appAndUser(session)}${segment("sessionId", session.id)}/`;
}

function userPrefix(session: SessionKey): string {
  return `${appAndUser(session)}${USER_SCOPE}/`;
}

function appAndUser({ appName, userId, ...tenant }: SessionKey): string {
  if (appName === TENANTS_FOLDER) throw unfit("appName", `is "${TENANTS_FOLDER}", which contains files of tenants`);
  return `${tenantPrefix(tenant)}${segment("appName", appName)}/${segment("userId", userId)}/`;
}

/** Without escapes a name with a slash would reach files of another app, user or session. */
function segment(field: string, value: string): string {
  if (value.includes("/")) throw unfit(field, "has a slash");
  // The store refuses an object of such a name, or tools treat it as a folder.
  if (value === "." || value === "..") throw unfit(field, "is a dot name");
  return value;
}

function unfit(field: string, problem: string): PlatformError {
  return new PlatformError(
    "INVALID_IDENTIFIER",
    `${field} ${problem}: the bucket's layout (ARTIFACT_LAYOUT=adk) cannot hold it. Choose another.`,
    { details: { field } },
  );
}
