import { type FileHandle, open, truncate } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isAbsent } from "#kit/platform/file-errors.ts";
import { type ChainHead, emptyChain, isIntact, readRecord, type StatedRecord } from "#ports/audit/audit-chain.ts";
import type { AuditEvent } from "#ports/audit/audit-event.ts";
import { readHead } from "./audit-file-head.ts";
import { fullFilesOf, tornFilePath } from "./audit-file-names.ts";
import { readIfPresent, syncFolder, writeTemporary } from "./durable-files.ts";
import { fileStep } from "./file-errors.ts";

/** A log as an earlier process left it, ready for the next record. */
export interface FoundLog {
  readonly head: ChainHead;
  /** Of the current file: the number of its first record, which may not be written yet, and its size. */
  readonly firstSeq: number;
  readonly bytes: number;
  readonly found: readonly AuditEvent[];
}

/**
 * Finds the last complete record. An incomplete record after it is copied to a separate file, which is flushed, and
 * only then cut off. Copies are reported until the next record is written, so that a process that is killed here loses
 * nothing.
 */
export async function recoverLog({
  path,
  newChain,
  nowMs,
}: {
  readonly path: string;
  readonly newChain: string;
  readonly nowMs: number;
}): Promise<FoundLog> {
  const ends = await readEnds(path);
  const older = (await fullFilesOf(path)).at(-1);
  const last = ends.last ?? (older === undefined ? undefined : (await readEnds(older)).last);
  const known = await readHead(path);
  const stored = last ?? emptyChain(known?.chain ?? newChain);
  if (known !== undefined && known.chain !== stored.chain)
    throw broken(path, `belongs to another chain than "${basename(path)}.head" beside it`);
  const torn = await keepTorn(path, ends, stored.seq + 1);
  const found: AuditEvent[] = torn.map((part) => ({ kind: "torn", timeMs: nowMs, ...part }));
  const isCut = known !== undefined && known.seq > stored.seq;
  if (isCut) found.push({ kind: "gap", timeMs: nowMs, after: stored.seq });
  const head = isCut ? known : stored;
  const firstSeq = ends.first?.seq ?? head.seq + 1;
  return { head: { chain: head.chain, seq: head.seq, sha256: head.sha256 }, firstSeq, bytes: ends.wholeBytes, found };
}

interface TornPart {
  readonly bytes: number;
  readonly keptIn: string;
}

interface FileEnds {
  readonly first: StatedRecord | undefined;
  readonly last: StatedRecord | undefined;
  /** Up to the last line break. */
  readonly wholeBytes: number;
  readonly torn: Buffer;
}

const NO_FILE: FileEnds = { first: undefined, last: undefined, wholeBytes: 0, torn: Buffer.alloc(0) };

async function readEnds(path: string): Promise<FileEnds> {
  let file: FileHandle;
  try {
    file = await fileStep(() => open(path, "r"));
  } catch (error) {
    if (isAbsent(error)) return NO_FILE;
    throw error;
  }
  try {
    const { size } = await file.stat();
    const torn = await readBack(file, size);
    const wholeBytes = size - torn.length;
    if (wholeBytes === 0) return { ...NO_FILE, torn };
    const last = recordOf(path, await readBack(file, wholeBytes - 1));
    return { first: recordOf(path, await readLine(file)), last, wholeBytes, torn };
  } finally {
    await file.close();
  }
}

const BLOCK_BYTES = 64 * 1024;
const LINE_BREAK = 10;

/** The bytes after the last line break before `end`, up to `end`. */
async function readBack(file: FileHandle, end: number): Promise<Buffer> {
  let tail = Buffer.alloc(0);
  for (let start = end; start > 0; ) {
    const length = Math.min(BLOCK_BYTES, start);
    start -= length;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
    tail = Buffer.concat([buffer.subarray(0, bytesRead), tail]);
    const at = tail.lastIndexOf(LINE_BREAK);
    if (at !== -1) return tail.subarray(at + 1);
  }
  return tail;
}

/** The first line of a file that has one. */
async function readLine(file: FileHandle): Promise<Buffer> {
  let line = Buffer.alloc(0);
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BLOCK_BYTES), 0, BLOCK_BYTES, line.length);
    line = Buffer.concat([line, buffer.subarray(0, bytesRead)]);
    const at = line.indexOf(LINE_BREAK);
    if (at !== -1 || bytesRead === 0) return line.subarray(0, at === -1 ? line.length : at);
  }
}

/**
 * Copies the incomplete record in the place of this record, then cuts it off. Returns all copies in that place, earlier
 * ones included.
 */
async function keepTorn(path: string, { torn, wholeBytes }: FileEnds, seq: number): Promise<readonly TornPart[]> {
  const parts: TornPart[] = [];
  let isKept = torn.length === 0;
  for (let copy = 1; ; copy += 1) {
    const name = tornFilePath(path, seq, copy);
    const kept = await readIfPresent(name);
    if (kept === undefined && isKept) break;
    // A writer that was killed between the copy and the cut has left the same bytes in both.
    if (kept?.equals(torn)) isKept = true;
    if (kept === undefined) {
      await writeTemporary(name, torn);
      await syncFolder(dirname(path));
      isKept = true;
    }
    parts.push({ bytes: (kept ?? torn).length, keptIn: basename(name) });
  }
  if (torn.length > 0) await fileStep(() => truncate(path, wholeBytes));
  return parts;
}

function recordOf(path: string, line: Buffer): StatedRecord {
  const record = readRecord(line.toString("utf8"));
  if (record === undefined || !isIntact(record))
    throw broken(path, "has a first or last line that is not a whole record");
  return record;
}

function broken(path: string, what: string): PlatformError {
  return new PlatformError(
    "AUDIT_BROKEN",
    `The audit log "${path}" ${what}. Look at it with: fairlead audit verify. Then move all of its files to another folder.`,
  );
}
