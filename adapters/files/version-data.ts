import type { ArtifactKey } from "#kit/artifacts/artifact-service.ts";
import type { Part } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { newContentId } from "#kit/platform/random-text.ts";
import { artifactPlace } from "#ports/artifacts/artifact-place.ts";
import type { ContentSealer } from "#ports/encryption/content-sealer.ts";
import {
  type ByteRange,
  openRange,
  type SealedBlocks,
  sealBlocks,
  sealedRange,
} from "#ports/encryption/sealed-blocks.ts";

/** The record that is stored with a version's bytes. */
export interface VersionRecord {
  readonly createTime: number;
  readonly customMetadata: JsonObject;
  readonly mimeType?: string;
  /** The part without the content of the data file. */
  readonly part: Part;
  /** Bytes of the content; absent if the part has none. */
  readonly contentBytes?: number;
  readonly sealed?: SealedData;
}

/** Present if the data file is encrypted: its blocks are bound to the id, and the record itself to its version. */
export interface SealedData extends Pick<SealedBlocks, "sealedBlockBytes"> {
  readonly dataId: string;
}

/** What the data file of a version contains. */
export interface StoredData {
  readonly bytes: Uint8Array;
  readonly sealed?: SealedData;
}

export function sealData(content: Uint8Array | undefined, key: ArtifactKey, sealer: ContentSealer): StoredData {
  if (content === undefined) return { bytes: new Uint8Array() };
  if (!sealer.isSealing) return { bytes: content };
  const dataId = newContentId();
  const place = artifactPlace(key, "artifact-data", dataId);
  const { bytes, sealedBlockBytes } = sealBlocks(content, { sealer, place });
  return { bytes, sealed: { dataId, sealedBlockBytes } };
}

/** The bytes of the data file that have the range of the content. */
export function storedRange(range: ByteRange, { contentBytes = 0, sealed }: VersionRecord): ByteRange {
  return sealed === undefined ? range : sealedRange(range, { contentBytes, ...sealed });
}

/** The range of the content, of which `data` is the stored form. */
export function openData(
  data: Uint8Array,
  range: ByteRange,
  { contentBytes = 0, sealed }: VersionRecord,
  { key, sealer }: { readonly key: ArtifactKey; readonly sealer: ContentSealer },
): Uint8Array {
  if (sealed === undefined) return data;
  const place = artifactPlace(key, "artifact-data", sealed.dataId);
  return openRange(data, range, { contentBytes, ...sealed }, { sealer, place });
}
