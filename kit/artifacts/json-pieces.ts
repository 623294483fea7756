import { newContentId } from "#kit/platform/random-text.ts";
import type { Blob, Part } from "../events/content.ts";
import { contentEncoding, withContent } from "./artifact-content.ts";
import type { ArtifactDescription, ArtifactKey } from "./artifact-service.ts";

/** Stored content that is written into JSON in place: between its quotes. */
export interface ContentPiece extends ArtifactKey {
  readonly version: number;
  readonly contentBytes: number;
  readonly encoding: "base64" | "utf8";
}

/** JSON in parts: text as it is, and content that is read while it is written. */
export type JsonPiece = string | ContentPiece;

const NUMBER_DIGITS = 6;

/** Puts marks into values in place of content, and cuts their JSON at the marks. */
export class MarkedContent {
  /** No text that was stored before can contain it. */
  readonly #mark = `content-${newContentId()}-`;
  readonly #pieces: ContentPiece[] = [];

  /** The part, with a mark in place of its content. */
  markPart(key: ArtifactKey, { version, part, contentBytes }: ArtifactDescription): Part {
    if (contentBytes === undefined) return part;
    const number = String(this.#pieces.length).padStart(NUMBER_DIGITS, "0");
    const { session, filename } = key;
    this.#pieces.push({ session, filename, version, contentBytes, encoding: contentEncoding(part) });
    return withContent(part, this.#mark + number);
  }

  markBlob(key: ArtifactKey, description: ArtifactDescription): Blob | undefined {
    return description.part.inlineData && this.markPart(key, description).inlineData;
  }

  piecesOf(value: unknown): readonly JsonPiece[] {
    const [first = "", ...rest] = JSON.stringify(value).split(this.#mark);
    const pieces: JsonPiece[] = [first];
    for (const text of rest) {
      const piece = this.#pieces[Number(text.slice(0, NUMBER_DIGITS))];
      if (piece !== undefined) pieces.push(piece);
      pieces.push(text.slice(NUMBER_DIGITS));
    }
    return pieces;
  }
}

/** The JSON of a stored part. */
export function artifactPieces(key: ArtifactKey, description: ArtifactDescription): readonly JsonPiece[] {
  const marked = new MarkedContent();
  return marked.piecesOf(marked.markPart(key, description));
}
