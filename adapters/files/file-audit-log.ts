import { constants } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { ChainHead, SealedRecord } from "#ports/audit/audit-chain.ts";
import type { AuditEvent } from "#ports/audit/audit-event.ts";
import type { AuditLog } from "#ports/audit/audit-log.ts";
import { writeHead } from "./audit-file-head.ts";
import { fullFilePath, headFilePath } from "./audit-file-names.ts";
import { type FoundLog, recoverLog } from "./audit-file-recovery.ts";
import { makeFolder, syncFolder } from "./durable-files.ts";
import { fileStep } from "./file-errors.ts";

export interface FileAuditLogOptions {
  /** The path of the file. Full files are kept next to it. No other process may write there. */
  readonly path: string;
  /** The id of the chain, if the file does not exist yet. */
  readonly newChain: string;
  /** The size after which a file is full. */
  readonly maxBytes: number;
  readonly nowMs: number;
}

const { O_APPEND, O_CREAT, O_RDWR } = constants;
/** Only the owner may read the log, because it shows who did what. */
const MODE = 0o600;

/**
 * One record a line, flushed to the disk with each call. A file that is full gets another name, and the chain continues
 * in a new one. `PATH.head` names the last record.
 */
export class FileAuditLog implements AuditLog {
  readonly found: readonly AuditEvent[];
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #headFile: FileHandle;
  #file: FileHandle;
  #head: ChainHead;
  /** The number of the current file's first record. */
  #firstSeq: number;
  #bytes: number;
  /** Whether a failed write may have left bytes after the last record. */
  #needsCut = false;

  private constructor(options: FileAuditLogOptions, log: FoundLog, file: FileHandle, headFile: FileHandle) {
    this.#path = options.path;
    this.#maxBytes = options.maxBytes;
    this.#file = file;
    this.#headFile = headFile;
    this.#head = log.head;
    this.#firstSeq = log.firstSeq;
    this.#bytes = log.bytes;
    this.found = log.found;
  }

  /** Throws `AUDIT_BROKEN` for a file that no chain can continue, and what the file system throws. */
  static async open(options: FileAuditLogOptions): Promise<FileAuditLog> {
    const { path } = options;
    await makeFolder(dirname(path));
    const log = await recoverLog(options);
    const file = await fileStep(() => open(path, O_APPEND | O_CREAT | O_RDWR, MODE));
    try {
      const headFile = await fileStep(() => open(headFilePath(path), O_CREAT | O_RDWR, MODE));
      await syncFolder(dirname(path));
      return new FileAuditLog(options, log, file, headFile);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get head(): ChainHead {
    return this.#head;
  }

  async append(records: readonly SealedRecord[]): Promise<void> {
    const last = records.at(-1);
    if (last === undefined) return;
    const bytes = Buffer.from(records.map(({ line }) => `${line}\n`).join(""));
    await fileStep(() => this.#write(bytes));
    this.#bytes += bytes.length;
    this.#head = last;
    // The records are durable: a failure from here on does not undo them.
    await writeHead(this.#headFile, last).catch(() => {});
    if (this.#bytes >= this.#maxBytes) await this.#rotate().catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
    await this.#headFile.close();
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#needsCut) await this.#file.truncate(this.#bytes);
    this.#needsCut = true;
    await this.#file.appendFile(bytes);
    await this.#file.datasync();
    this.#needsCut = false;
  }

  /** If it fails, the file keeps its name and grows, and the next call tries again. */
  async #rotate(): Promise<void> {
    const kept = fullFilePath(this.#path, this.#firstSeq);
    await rename(this.#path, kept);
    let next: FileHandle;
    try {
      next = await open(this.#path, O_APPEND | O_CREAT | O_RDWR, MODE);
    } catch (error) {
      await rename(kept, this.#path);
      throw error;
    }
    const full = this.#file;
    this.#file = next;
    this.#firstSeq = this.#head.seq + 1;
    this.#bytes = 0;
    await syncFolder(dirname(this.#path));
    await full.close();
  }
}
