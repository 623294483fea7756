import { contentUnreadable } from "./content-errors.ts";
import type { ContentPlace, ContentSealer } from "./content-sealer.ts";

/** Content is encrypted in blocks of this size, so that a range of it can be read without the rest. */
export const BLOCK_BYTES = 192 * 1024;

/** What is stored of encrypted content besides its bytes. */
export interface SealedBlocks {
  /** Bytes of the content. */
  readonly contentBytes: number;
  /** Bytes of each encrypted block but the last one. */
  readonly sealedBlockBytes: number;
}

/** A part of content, in bytes. */
export interface ByteRange {
  readonly from: number;
  readonly bytes: number;
}

interface Place {
  readonly sealer: ContentSealer;
  readonly place: ContentPlace;
}

/**
 * The content's blocks, encrypted one by one. Each authenticates its number and the content's length, so that blocks can
 * be neither reordered nor left out.
 */
export function sealBlocks(content: Uint8Array, { sealer, place }: Place): SealedBlocks & { readonly bytes: Buffer } {
  const contentBytes = content.byteLength;
  const sealed = Array.from({ length: blocksOf(contentBytes) }, (_, number) =>
    sealer.sealBytes(
      content.subarray(number * BLOCK_BYTES, (number + 1) * BLOCK_BYTES),
      placeOfBlock(place, number, contentBytes),
    ),
  );
  return { bytes: Buffer.concat(sealed), contentBytes, sealedBlockBytes: sealed[0]?.byteLength ?? 0 };
}

/** The encrypted bytes that have the range. */
export function sealedRange({ from, bytes }: ByteRange, { contentBytes, sealedBlockBytes }: SealedBlocks): ByteRange {
  const first = Math.floor(from / BLOCK_BYTES);
  const end = Math.ceil(Math.min(from + bytes, contentBytes) / BLOCK_BYTES);
  return { from: first * sealedBlockBytes, bytes: Math.max(0, end - first) * sealedBlockBytes };
}

/** The range of the content; `sealed` are the bytes of its `sealedRange`, fewer at their end. */
export function openRange(sealed: Uint8Array, range: ByteRange, blocks: SealedBlocks, place: Place): Uint8Array {
  const { contentBytes } = blocks;
  const wanted = Math.min(range.bytes, contentBytes - range.from);
  if (wanted <= 0) return new Uint8Array();
  const first = Math.floor(range.from / BLOCK_BYTES);
  const opened: Uint8Array[] = [];
  for (let at = 0; at < sealed.byteLength; at += blocks.sealedBlockBytes) {
    const block = sealed.subarray(at, at + blocks.sealedBlockBytes);
    const number = first + opened.length;
    opened.push(place.sealer.openBytes(block, placeOfBlock(place.place, number, contentBytes)));
  }
  const content = Buffer.concat(opened);
  const start = range.from - first * BLOCK_BYTES;
  if (content.length < start + wanted) throw contentUnreadable(place.place.tenantId);
  return content.subarray(start, start + wanted);
}

/** Content without bytes has one block, which authenticates that there are none. */
function blocksOf(contentBytes: number): number {
  return Math.max(1, Math.ceil(contentBytes / BLOCK_BYTES));
}

function placeOfBlock({ tenantId, parts }: ContentPlace, number: number, contentBytes: number): ContentPlace {
  return { tenantId, parts: [...parts, number, contentBytes] };
}
