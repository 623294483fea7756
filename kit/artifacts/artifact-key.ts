import { PlatformError } from "../errors/platform-error.ts";
import { assertIdentifier, assertSessionKey, isIdentifier } from "../names/identifiers.ts";
import {
  type ArtifactKey,
  type ArtifactVersion,
  CONTENT_RANGE_BYTES,
  type ReadArtifactRequest,
  USER_FILE_PREFIX,
} from "./artifact-service.ts";

export function isUserArtifact(filename: string): boolean {
  return filename.startsWith(USER_FILE_PREFIX);
}

/** Whether an artifact can have the name. */
export function isArtifactName(filename: string): boolean {
  return filename !== USER_FILE_PREFIX && isIdentifier(filename);
}

/**
 * Throws `INVALID_IDENTIFIER`. The session's id is checked for user files too, so that an invalid key is always
 * refused.
 */
export function assertArtifactKey({ session, filename }: ArtifactKey): void {
  assertSessionKey(session);
  assertIdentifier("filename", filename);
  if (filename !== USER_FILE_PREFIX) return;
  throw new PlatformError("INVALID_IDENTIFIER", `filename needs a name after ${USER_FILE_PREFIX}`, {
    details: { field: "filename" },
  });
}

/** Checks the key too. Throws `INVALID_IDENTIFIER` and `INVALID_FIELD`. */
export function assertReadArtifact(request: ReadArtifactRequest): void {
  assertArtifactKey(request);
  assertWhole("from", request.from, Number.MAX_SAFE_INTEGER);
  assertWhole("bytes", request.bytes, CONTENT_RANGE_BYTES);
}

function assertWhole(field: string, value: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= 0 && value <= most) return;
  throw new PlatformError("INVALID_FIELD", `${field} must be a whole number from 0 to ${most}.`, {
    details: { field },
  });
}

/**
 * `artifact://app/user/s/session/filename/version`, and `artifact://app/user/u/filename/version` for a file of the
 * user.
 */
export function canonicalArtifactUri({ session, filename }: ArtifactKey, version: number): string {
  const scope = isUserArtifact(filename) ? ["u", filename.slice(USER_FILE_PREFIX.length)] : ["s", session.id, filename];
  const segments = [session.appName, session.userId, ...scope].map(encodeURIComponent);
  return `artifact://${segments.join("/")}/${version}`;
}

/** The version as clients get it, from the record that a store keeps. */
export function toArtifactVersion(
  key: ArtifactKey,
  version: number,
  record: Pick<ArtifactVersion, "createTime" | "customMetadata"> & { readonly mimeType?: string | undefined },
): ArtifactVersion {
  const { createTime, customMetadata, mimeType } = record;
  const canonicalUri = canonicalArtifactUri(key, version);
  return { version, canonicalUri, customMetadata, createTime, mimeType };
}
