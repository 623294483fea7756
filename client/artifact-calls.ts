import type { Part } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { apiPath, newKey } from "./api-path.ts";
import { listOf, readArtifactPart, readArtifactVersion, readNothing, readString } from "./check-answer.ts";
import { createFilePart, type FileContent } from "./file-part.ts";
import type { HttpClient } from "./http-client.ts";
import type { ArtifactVersionData, CallOptions, CreateOptions } from "./wire-types.ts";

/** Which version `artifacts.get` reads. */
export interface ReadArtifactOptions extends CallOptions {
  /** The newest if absent. */
  readonly version?: number | undefined;
}

/** What `artifacts.put` stores with a file. */
export interface SaveArtifactOptions extends CreateOptions {
  readonly customMetadata?: JsonObject | undefined;
}

/** Files of sessions, each with its versions. Names that begin with `user:` belong to the user in all sessions. */
export interface ArtifactCalls {
  /** Names of the session's and the user's files. */
  list(session: SessionKey, options?: CallOptions): Promise<readonly string[]>;
  /** The file as a part: `toBlob` gives its bytes. Rejects with `ARTIFACT_NOT_FOUND`. */
  get(session: SessionKey, filename: string, options?: ReadArtifactOptions): Promise<Part>;
  /** Saves a new version of a file: a `Blob` or `File`, or a part with `inlineData`, `text` or `fileData`. */
  put(
    session: SessionKey,
    filename: string,
    content: FileContent | Part,
    options?: SaveArtifactOptions,
  ): Promise<ArtifactVersionData>;
  /** Deletes all versions. Succeeds if there is none. */
  delete(session: SessionKey, filename: string, options?: CallOptions): Promise<void>;
  /** What is known of each version, oldest first. */
  listVersions(session: SessionKey, filename: string, options?: CallOptions): Promise<readonly ArtifactVersionData[]>;
}

export function createArtifactCalls(http: HttpClient): ArtifactCalls {
  return {
    list: async (session, { signal } = {}) =>
      http.get(artifactsPath(session), signal, listOf("The list of files", readString)),
    get: async (session, filename, { signal, version } = {}) => {
      const path = artifactsPath(session) + apiPath`/${filename}/versions/${version ?? "latest"}`;
      return http.get(path, signal, readArtifactPart);
    },
    put: async (session, filename, content, { signal, customMetadata, idempotencyKey = newKey() } = {}) => {
      const artifact = content instanceof Blob ? await createFilePart(content) : content;
      const body = { filename, artifact, customMetadata };
      const headers = { "idempotency-key": idempotencyKey };
      return http.send({ method: "POST", path: artifactsPath(session), body, headers, signal }, readArtifactVersion);
    },
    delete: async (session, filename, { signal } = {}) => {
      const path = artifactsPath(session) + apiPath`/${filename}`;
      return http.send({ method: "DELETE", path, signal }, readNothing);
    },
    listVersions: async (session, filename, { signal } = {}) => {
      const path = artifactsPath(session) + apiPath`/${filename}/versions/metadata`;
      return http.get(path, signal, listOf("The list of versions", readArtifactVersion));
    },
  };
}

function artifactsPath({ appName, userId, id }: SessionKey): string {
  return apiPath`/apps/${appName}/users/${userId}/sessions/${id}/artifacts`;
}
