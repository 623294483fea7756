import { isUserArtifact } from "#kit/artifacts/artifact-key.ts";
import { type ArtifactKey, USER_FILE_PREFIX } from "#kit/artifacts/artifact-service.ts";
import { escapeSegment, unescapeSegment } from "#kit/names/identifiers.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

/** The location of the files of a session or a user. */
export interface ArtifactScope {
  /** Ends with a slash. */
  readonly prefix: string;
  /**
   * The file's name, from the path between the prefix and the version; undefined for an object that is no file of the
   * scope.
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
}

/**
 * `{app}/{user}/s/{session}/{filename}/{version}` and, for files of the user, `{app}/{user}/u/{filename}/{version}`.
 */
export const fairleadLayout: ArtifactLayout = {
  versionPrefixes: ({ session, filename }) => {
    if (!isUserArtifact(filename)) return [`${sessionPrefix(session)}${escapeSegment(filename)}/`];
    return [`${userPrefix(session)}${escapeSegment(filename.slice(USER_FILE_PREFIX.length))}/`];
  },
  sessionScope: (session) => ({ prefix: sessionPrefix(session), toFilename: unescapeSegment }),
  userScope: (session) => ({ prefix: userPrefix(session), toFilename: toUserFilename }),
};

function sessionPrefix({ appName, userId, id }: SessionKey): string {
  return `${escapeSegment(appName)}/${escapeSegment(userId)}/s/${escapeSegment(id)}/`;
}

function userPrefix({ appName, userId }: SessionKey): string {
  return `${escapeSegment(appName)}/${escapeSegment(userId)}/u/`;
}

function toUserFilename(segment: string): string | undefined {
  const name = unescapeSegment(segment);
  return name === undefined ? undefined : USER_FILE_PREFIX + name;
}
