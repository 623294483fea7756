import type { ArtifactContent } from "#kit/artifacts/artifact-content.ts";
import type { ArtifactDescription, ArtifactKey, ArtifactVersion } from "#kit/artifacts/artifact-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Part } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { ArtifactHeader, ArtifactHeader__Output } from "#proto/fairlead/artifact/v1/ArtifactHeader.ts";
import type { ArtifactKey__Output } from "#proto/fairlead/artifact/v1/ArtifactKey.ts";
import type {
  ArtifactVersion__Output,
  ArtifactVersion as ArtifactVersionMessage,
} from "#proto/fairlead/artifact/v1/ArtifactVersion.ts";
import { fromJsonBytes, fromSessionKey, fromTimestamp, toJsonBytes, toTimestamp } from "./messages.ts";

/**
 * Converts the artifact service's messages to and from the types of the port. Both ends use these functions, so that
 * they always match.
 */

export function fromArtifactKey(key: ArtifactKey__Output | null): ArtifactKey {
  return { session: fromSessionKey(key?.session), filename: key?.filename ?? "" };
}

export function toArtifactHeader({ part, bytes }: ArtifactContent): ArtifactHeader {
  return { partJson: toJsonBytes(part), contentBytes: bytes?.byteLength };
}

export function toDescriptionHeader({ part, contentBytes }: ArtifactDescription): ArtifactHeader {
  return { partJson: toJsonBytes(part), contentBytes };
}

export function fromDescription(
  version: number,
  { partJson, contentBytes }: ArtifactHeader__Output,
): ArtifactDescription {
  return {
    version,
    part: fromJsonBytes<Part>(partJson, "The artifact"),
    contentBytes,
  };
}

/** An artifact whose messages arrive one by one: the header, then its content in chunks. */
export class IncomingArtifact {
  readonly #header: ArtifactHeader__Output;
  readonly #contentBytes: number;
  readonly #chunks: Buffer[] = [];
  #received = 0;

  constructor(header: ArtifactHeader__Output) {
    this.#header = header;
    this.#contentBytes = header.contentBytes ?? 0;
  }

  /** Throws as soon as there are more bytes than the header states. */
  add(chunk: Buffer): void {
    this.#received += chunk.byteLength;
    if (this.#received > this.#contentBytes) throw wrongLength();
    this.#chunks.push(chunk);
  }

  /** Throws if there are fewer bytes than the header states. */
  content(): ArtifactContent {
    if (this.#received !== this.#contentBytes) throw wrongLength();
    const part = fromJsonBytes<Part>(this.#header.partJson, "The artifact");
    return this.#header.contentBytes === undefined ? { part } : { part, bytes: Buffer.concat(this.#chunks) };
  }
}

function wrongLength(): PlatformError {
  return new PlatformError("INVALID_FIELD", "The artifact's content is not as long as its header says.", {
    details: { field: "contentBytes" },
  });
}

export function toVersionMessage(version: ArtifactVersion): ArtifactVersionMessage {
  const { version: number, canonicalUri, customMetadata, createTime, mimeType } = version;
  return {
    version: number,
    canonicalUri,
    customMetadataJson: toJsonBytes(customMetadata),
    createTime: toTimestamp(createTime),
    mimeType,
  };
}

export function fromVersionMessage(message: ArtifactVersion__Output): ArtifactVersion {
  const { version, canonicalUri, customMetadataJson, createTime, mimeType } = message;
  return {
    version,
    canonicalUri,
    customMetadata: fromJsonBytes<JsonObject>(customMetadataJson, "The metadata"),
    createTime: fromTimestamp(createTime),
    mimeType,
  };
}
