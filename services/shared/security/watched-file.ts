import { readFileSync, statSync } from "node:fs";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { isAbsent, textOfFile } from "#kit/platform/file-errors.ts";
import type { Logger } from "#kit/platform/logger.ts";

/** Files are checked when their content is used, and not more often than this. */
const LOOK_EVERY_MS = 1000;

export interface WatchedFileOptions<Content> {
  readonly path: string;
  /** The name of the file in messages: the setting that names it. */
  readonly setting: string;
  /** Throws an error that describes what is wrong with the text. */
  readonly parse: (text: string) => Content;
  /** The text that a missing file represents; without one, a missing file is an error. */
  readonly whenMissing?: Content;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A file that may be replaced while the process runs. While it is broken or missing, the last valid content stays in
 * use.
 */
export class WatchedFile<Content> {
  readonly #options: WatchedFileOptions<Content>;
  #content: Content;
  #stamp: string | undefined;
  #lookedAt: number;
  #failing = false;

  /** Throws `CONFIGURATION` when the file cannot be used. */
  constructor(options: WatchedFileOptions<Content>) {
    this.#options = options;
    this.#lookedAt = options.clock.monotonic();
    this.#stamp = stampOf(options.path);
    this.#content = this.#read();
  }

  get content(): Content {
    const now = this.#options.clock.monotonic();
    if (now - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = now;
      this.#refresh();
    }
    return this.#content;
  }

  #refresh(): void {
    const { path, setting, logger } = this.#options;
    const stamp = stampOf(path);
    if (stamp === this.#stamp && !this.#failing) return;
    try {
      this.#content = this.#read();
      this.#stamp = stamp;
      this.#failing = false;
      logger.info({ setting }, "file read again");
    } catch (error) {
      if (!this.#failing) logger.warn({ error, setting }, "changed file cannot be used; the former content stays");
      this.#failing = true;
    }
  }

  #read(): Content {
    const { path, setting, parse, whenMissing } = this.#options;
    let text: string;
    try {
      text = textOfFile(readFileSync(path));
    } catch (error) {
      if (whenMissing !== undefined && isAbsent(error)) return whenMissing;
      throw new PlatformError("CONFIGURATION", `The file of ${setting} cannot be read.`, { cause: error });
    }
    return parse(text);
  }
}

/** Changes when the file is written or replaced, also behind links, as clusters mount secrets. */
function stampOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.ino} ${found.mtimeMs} ${found.ctimeMs} ${found.size}`;
}

/** The lines that are not empty; `#` starts a comment. */
export function linesOf(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}
