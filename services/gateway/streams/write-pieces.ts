import { type ArtifactService, CONTENT_RANGE_BYTES } from "#kit/artifacts/artifact-service.ts";
import type { ContentPiece, JsonPiece } from "#kit/artifacts/json-pieces.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { AnswerReader, Room } from "#shared/answers/answer-account.ts";
import type { Pausable } from "./paced-response.ts";

/** Takes text as fast as its reader takes it. */
export interface PacedWriter {
  readonly isOver: boolean;
  readonly ahead: Set<Pausable>;
  write(text: string): Promise<void> | undefined;
}

export interface PieceDeps {
  readonly artifactService: Pick<ArtifactService, "readArtifact">;
  readonly answers: AnswerReader;
}

/** A range and its base64. */
export const RANGE_ROOM_BYTES = 3 * CONTENT_RANGE_BYTES;
/** In base64 64 KiB, which the socket gets at a time. Text may grow sixfold as JSON. */
const SLICE_BYTES = { base64: 48 * 1024, utf8: 8 * 1024 } as const;

/** Writes the pieces until the client has left. Throws if content was deleted meanwhile. */
export async function writePieces(deps: PieceDeps, writer: PacedWriter, pieces: readonly JsonPiece[]): Promise<void> {
  for (const piece of pieces) {
    if (writer.isOver) return;
    await (typeof piece === "string" ? writer.write(piece) : new ContentWriter(deps, writer, piece).write());
  }
}

/** Writes stored content range by range. While its reader takes nothing, it keeps only its position. */
class ContentWriter implements Pausable {
  readonly #deps: PieceDeps;
  readonly #writer: PacedWriter;
  readonly #piece: ContentPiece;
  readonly #toJson: (bytes: Buffer, isLast: boolean) => string;
  #position = 0;
  /** The content from the position on, as far as it was read. */
  #range: Buffer | undefined;
  #room: Room | undefined;

  constructor(deps: PieceDeps, writer: PacedWriter, piece: ContentPiece) {
    this.#deps = deps;
    this.#writer = writer;
    this.#piece = piece;
    this.#toJson = piece.encoding === "base64" ? (bytes) => bytes.toString("base64") : textEncoder();
  }

  pause(): void {
    this.#range = undefined;
    this.#room?.[Symbol.dispose]();
    this.#room = undefined;
  }

  async write(): Promise<void> {
    const { contentBytes, encoding } = this.#piece;
    this.#writer.ahead.add(this);
    try {
      while (this.#position < contentBytes && !this.#writer.isOver) {
        const range = this.#range ?? (await this.#read());
        const slice = range.subarray(0, SLICE_BYTES[encoding]);
        this.#position += slice.length;
        this.#range = slice.length < range.length ? range.subarray(slice.length) : undefined;
        await this.#writer.write(this.#toJson(slice, this.#position === contentBytes));
      }
    } catch (error) {
      if (!this.#writer.isOver) throw error;
    } finally {
      this.pause();
      this.#writer.ahead.delete(this);
    }
  }

  async #read(): Promise<Buffer> {
    const { artifactService, answers } = this.#deps;
    const { session, filename, version, contentBytes } = this.#piece;
    this.#room?.[Symbol.dispose]();
    this.#room = answers.take(RANGE_ROOM_BYTES) ?? (await this.#wait());
    const from = this.#position;
    const bytes = Math.min(CONTENT_RANGE_BYTES, contentBytes - from);
    const found = await artifactService.readArtifact({ session, filename, version, from, bytes });
    if (found?.byteLength !== bytes)
      throw new PlatformError("ARTIFACT_NOT_FOUND", "The file was deleted while it was read.", {
        details: { filename },
      });
    return Buffer.from(found.buffer, found.byteOffset, found.byteLength);
  }

  /** Nobody waits while it has room, so what else was read ahead for the reader is read again later. */
  async #wait(): Promise<Room> {
    for (const each of this.#writer.ahead) each.pause();
    return this.#deps.answers.wait(RANGE_ROOM_BYTES);
  }
}

/** UTF-8 as the inside of a JSON string; a character may be cut between two calls. */
function textEncoder(): (bytes: Buffer, isLast: boolean) => string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return (bytes, isLast) => JSON.stringify(decoder.decode(bytes, { stream: !isLast })).slice(1, -1);
}
