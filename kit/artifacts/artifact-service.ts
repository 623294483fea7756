import type { Part } from "../events/content.ts";
import type { JsonObject } from "../platform/json.ts";
import type { SessionKey } from "../sessions/session.ts";

/** File names with this prefix belong to the user, across all sessions of the app. */
export const USER_FILE_PREFIX = "user:";

/** Names an artifact. `session.id` does not matter for names that start with `user:`. */
export interface ArtifactKey {
  readonly session: SessionKey;
  readonly filename: string;
}

/** A file to store as a new version of its name. */
export interface SaveArtifactRequest extends ArtifactKey {
  /** A part with `inlineData`, `text` or `fileData`. */
  readonly artifact: Part;
  readonly customMetadata?: JsonObject;
}

/** The metadata of one stored version of a file, without its content. */
export interface ArtifactVersion {
  /** From 0; a number is never reused for a name, even after a delete. */
  readonly version: number;
  /**
   * `artifact://app/user/s/session/filename/version`, segments percent-encoded; contains no path or bucket of the
   * server.
   */
  readonly canonicalUri: string;
  readonly customMetadata: JsonObject;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  readonly mimeType?: string;
}

/** A version as it is stored, without its content. */
export interface ArtifactDescription {
  readonly version: number;
  /** The part, with an empty text in place of its text, and without `data` in `inlineData`. */
  readonly part: Part;
  /** Bytes of the text or data; absent for `fileData`, which is only a reference. */
  readonly contentBytes?: number;
}

/** A range of a version's content. */
export interface ReadArtifactRequest extends ArtifactKey {
  readonly version: number;
  /** The first byte. */
  readonly from: number;
  /** At most `CONTENT_RANGE_BYTES`. */
  readonly bytes: number;
}

/** The longest range of a file's content that one call reads. In base64 these are 256 KiB. */
export const CONTENT_RANGE_BYTES = 192 * 1024;

/** The names of files that a session can load. */
export interface ListArtifactsResponse {
  /** Names of the session's files and, with their prefix, of the user's; sorted. */
  readonly filenames: readonly string[];
}

/** The numbers of a file's stored versions; empty if there is no such file. */
export interface ListArtifactVersionsResponse {
  /** Ascending. */
  readonly versions: readonly number[];
}

/** Versioned files of sessions and users. Identifiers are checked (`INVALID_IDENTIFIER`); a session need not exist. */
export interface ArtifactService {
  /** Writes a new version and returns it; concurrent saves get different numbers. */
  saveArtifact(request: SaveArtifactRequest): Promise<ArtifactVersion>;
  /** The given version or the newest; undefined if there is none. */
  loadArtifact(key: ArtifactKey, version?: number): Promise<Part | undefined>;
  /** The given version or the newest, without its content; undefined if there is none. */
  describeArtifact(key: ArtifactKey, version?: number): Promise<ArtifactDescription | undefined>;
  /**
   * The bytes of a range of a version's content, fewer at its end. Undefined if the version was deleted. A reader that
   * takes a large file slowly keeps no more of it in memory. Throws `INVALID_FIELD` for a range that is too long.
   */
  readArtifact(request: ReadArtifactRequest): Promise<Uint8Array | undefined>;
  /** Names in their order, the first or those after a name; at most 10,000 (`allNames` reads all). */
  listArtifactKeys(session: SessionKey, after?: string): Promise<ListArtifactsResponse>;
  /** Ascending, the first or those after a version; at most 10,000. */
  listVersions(key: ArtifactKey, after?: number): Promise<ListArtifactVersionsResponse>;
  /** The metadata of each version, ascending. */
  listArtifactVersions(key: ArtifactKey): Promise<readonly ArtifactVersion[]>;
  getArtifactVersion(key: ArtifactKey, version?: number): Promise<ArtifactVersion | undefined>;
  /** Deletes all versions. Succeeds if there is none. */
  deleteArtifact(key: ArtifactKey): Promise<void>;
  /** Deletes all files of the session, including those with reserved names; files of the user stay. */
  deleteSessionArtifacts(session: SessionKey): Promise<void>;
}
