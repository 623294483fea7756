import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { join, posix } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { codeOf, isAbsent, textOfFile } from "#kit/platform/file-errors.ts";
import { isInside } from "#kit/platform/file-paths.ts";

/**
 * The state of a file when it was read: equal as long as the file is not changed or replaced. "" if the file does not
 * exist.
 */
export type FileStamp = string;

// A definition has some hundred lines. Instructions may be long, but a file of a megabyte is a mistake.
const MAX_FILE_BYTES = 256 * 1024;

export type FileRead =
  | { readonly ok: true; readonly text: string }
  /** The reason, for the author, without paths of the server. */
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the definition files of one app, and none outside its folder. Keeps the stamps of all files that it has read.
 */
export class DefinitionFolder {
  readonly #directory: string;
  /** The folder's name in messages. */
  readonly #label: string;
  readonly stamps = new Map<string, FileStamp>();
  /** The digests of the files that were read, by their names in the folder. */
  readonly digests = new Map<string, string>();

  constructor(directory: string, label: string) {
    this.#directory = directory;
    this.#label = label;
  }

  /** The file's name in messages. */
  labelOf(file: string): string {
    return this.#label === "" ? file : `${this.#label}/${file}`;
  }

  /**
   * The file (from the folder, with slashes) that `configPath` names in `from`; undefined if it is outside the folder.
   */
  resolve(from: string, configPath: string): string | undefined {
    if (posix.isAbsolute(configPath) || configPath.includes("\\") || /^[A-Za-z]:/.test(configPath)) return undefined;
    const file = posix.join(posix.dirname(from), configPath);
    return file === ".." || file.startsWith("../") ? undefined : file;
  }

  /**
   * Whether the file exists. The result is remembered, so a file that is created later is a change. Throws
   * `STORE_UNAVAILABLE` if the system reports another failure.
   */
  async has(file: string): Promise<boolean> {
    const path = join(this.#directory, file);
    try {
      const stamp = await stampOf(path);
      this.stamps.set(path, stamp);
      return stamp !== "";
    } catch (error) {
      throw this.#unavailable(file, error);
    }
  }

  /** Throws `STORE_UNAVAILABLE` if the file exists and cannot be read for a temporary reason. */
  async read(file: string, maxBytes: number = MAX_FILE_BYTES): Promise<FileRead> {
    const path = join(this.#directory, file);
    try {
      // Before the content, so that a change in between causes one more reload and not none.
      this.stamps.set(path, await stampOf(path));
      const [folder, target] = await Promise.all([realpath(this.#directory), realpath(path)]);
      if (!isInside(folder, target)) return refused("leaves the app's folder through a link");
      const { size } = await stat(target);
      if (size > maxBytes) return refused(`is over ${maxBytes / 1024} KiB`);
      const content = await readFile(target);
      this.digests.set(file, createHash("sha256").update(content).digest("hex"));
      return { ok: true, text: textOfFile(content) };
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw this.#unavailable(file, error);
      return refused(problem);
    }
  }

  #unavailable(file: string, cause: unknown): PlatformError {
    const code = codeOf(cause);
    const why = code === undefined ? "" : ` (${code})`;
    return new PlatformError("STORE_UNAVAILABLE", `${this.labelOf(file)} cannot be read${why}.`, { cause });
  }
}

/** Throws if the system reports a failure other than a missing file. */
export async function stampOf(path: string): Promise<FileStamp> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino}:${size}:${mtimeNs}`;
  } catch (error) {
    if (isAbsent(error)) return "";
    throw error;
  }
}

function refused(problem: string): FileRead {
  return { ok: false, problem };
}

/** The problem of the file itself; undefined for a failure that is not caused by it. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof TypeError) return "is not UTF-8 text";
  if (isAbsent(error)) return "does not exist";
  return codeOf(error) === "EISDIR" ? "is a folder" : undefined;
}
