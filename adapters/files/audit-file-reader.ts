import { createReadStream } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { isAbsent } from "#kit/platform/file-errors.ts";
import type { ChainHead } from "#ports/audit/audit-chain.ts";
import type { AuditLine } from "#ports/audit/verify-chain.ts";
import { readHead } from "./audit-file-head.ts";
import { fullFilesOf, inOrder, isFullFile } from "./audit-file-names.ts";

/** The lines of an audit log and the records that it must have. */
export interface AuditFiles {
  readonly lines: AsyncIterable<AuditLine>;
  readonly heads: readonly ChainHead[];
  /** Logs beside which no file names the last record: it is unknown whether their end was cut. */
  readonly withoutHead: readonly string[];
}

/**
 * Reads a log by its path, with all of its full files; or the given files of a log, in the order of their records. The
 * log may be written meanwhile: its head is read first.
 */
export async function openAuditFiles(paths: readonly string[]): Promise<AuditFiles> {
  const active = inOrder(paths.filter((path) => !isFullFile(path)));
  const heads = await Promise.all(active.map(readHead));
  const [only] = paths;
  const lines =
    paths.length === 1 && only !== undefined && active.length === 1 ? readLog(only) : readFiles(inOrder(paths));
  return {
    lines,
    heads: heads.filter((head) => head !== undefined),
    withoutHead: active.filter((_, index) => heads[index] === undefined),
  };
}

/** Whether there is a log at this path: its current file or, between two of these, its full ones. */
export async function isAuditLog(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? (await fullFilesOf(path)).length > 0 : found.isFile();
}

async function* readLog(path: string): AsyncIterable<AuditLine> {
  for (;;) {
    const full = await fullFilesOf(path);
    const file = await openCurrent(path, full.length > 0);
    // The file that was opened may have become a full one, which is not in the list.
    if ((await fullFilesOf(path)).length === full.length) {
      yield* readFiles(full);
      if (file !== undefined) yield* readAuditLines(file.createReadStream(), path);
      return;
    }
    await file?.close();
  }
}

/** A writer that was killed when it had given a full file its name has left no current one. */
async function openCurrent(path: string, mayBeAbsent: boolean): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if (mayBeAbsent && isAbsent(error)) return undefined;
    throw error;
  }
}

async function* readFiles(paths: readonly string[]): AsyncIterable<AuditLine> {
  for (const path of paths) yield* readAuditLines(createReadStream(path), path);
}

/** The lines of a stream of bytes. The last one is incomplete if it has no line break. */
export async function* readAuditLines(chunks: AsyncIterable<Buffer>, name: string): AsyncIterable<AuditLine> {
  let rest = "";
  let number = 0;
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      number += 1;
      yield { text, place: `${name}:${number}` };
    }
  }
  if (rest !== "") yield { text: rest, place: `${name}:${number + 1}`, isIncomplete: true };
}
