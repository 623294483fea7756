import { type FileHandle, mkdir, open, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "#kit/platform/clock.ts";
import { codeOf } from "#kit/platform/file-errors.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import { lazy } from "#kit/platform/lazy.ts";
import type { QueuedRow } from "./analytics-row.ts";
import { duckDbViews } from "./analytics-views.ts";
import { JsonLineWriter } from "./json-line-writer.ts";
import type { AnalyticsSink } from "./row-queue.ts";

export interface JsonLinesOptions {
  /** Created if it is missing. */
  readonly directory: string;
  /** The beginning of the files' names. */
  readonly tableName: string;
  /** A file that has reached this size is followed by a new one. */
  readonly maxFileBytes: number;
  /** More files of the table are deleted, oldest first; absent: none. */
  readonly maxFiles: number | undefined;
  /** Also writes `views.sql`, the table and its views for DuckDB; absent: no views. */
  readonly viewPrefix: string | undefined;
  readonly clock: Clock;
}

/**
 * Writes rows as lines of JSON to files of a folder. Each process has files of its own. A batch that is written in part
 * is cut off again, so that a repetition writes no row twice and readers find whole lines; only a process that is killed
 * can leave a part of a line at the end of its file.
 */
export class JsonLinesSink implements AnalyticsSink {
  readonly #options: JsonLinesOptions;
  readonly #folder = lazy(() => this.#openFolder());
  readonly #lines = new JsonLineWriter();
  #file: FileHandle | undefined;
  #size = 0;
  #number = 0;

  constructor(options: JsonLinesOptions) {
    this.#options = options;
  }

  async append(batch: readonly QueuedRow[]): Promise<number> {
    await this.#folder();
    const file = await this.#current();
    let text = "";
    for (const row of batch) text += this.#lines.toLine(row);
    const bytes = Buffer.from(text);
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, this.#size + done);
        done += bytesWritten;
      }
    } catch (error) {
      await file.truncate(this.#size);
      throw error;
    }
    this.#size += bytes.length;
    return 0;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #current(): Promise<FileHandle> {
    if (this.#file !== undefined && this.#size < this.#options.maxFileBytes) return this.#file;
    const { directory, tableName } = this.#options;
    await this.close();
    const time = toIsoTime(this.#options.clock.now()).replace(/[^\dTZ]/g, "");
    this.#file = await this.#openNext(join(directory, `${tableName}-${time}-${process.pid}`));
    this.#size = 0;
    await this.#deleteOldest();
    return this.#file;
  }

  /** The first file with a free number: other sinks of this process may write to the folder. */
  async #openNext(start: string): Promise<FileHandle> {
    for (;;) {
      this.#number += 1;
      try {
        return await open(`${start}-${String(this.#number).padStart(4, "0")}.jsonl`, "wx");
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error;
      }
    }
  }

  async #openFolder(): Promise<void> {
    const { directory, tableName, viewPrefix } = this.#options;
    await mkdir(directory, { recursive: true });
    if (viewPrefix === undefined) return;
    await writeFile(join(directory, "views.sql"), duckDbViews({ directory, tableName, viewPrefix }));
  }

  async #deleteOldest(): Promise<void> {
    const { directory, tableName, maxFiles } = this.#options;
    if (maxFiles === undefined) return;
    const all = (await readdir(directory)).filter(
      (name) => name.startsWith(`${tableName}-`) && name.endsWith(".jsonl"),
    );
    for (const name of all.sort().slice(0, -maxFiles)) await rm(join(directory, name), { force: true });
  }
}
