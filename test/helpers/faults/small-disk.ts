import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skipFor } from "#tooling/missing-tool.ts";

const CHUNK_BYTES = 4096;

/** A file system of a few megabytes in memory. Only root may mount one. */
export class SmallDisk implements Disposable {
  readonly path: string;
  readonly #filler: string;

  constructor(megabytes: number) {
    this.path = mkdtempSync(join(tmpdir(), "small-disk-"));
    this.#filler = join(this.path, "filler");
    const mount = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", this.path]);
    if (mount.status === 0) return;
    rmdirSync(this.path);
    throw new Error(`No file system could be mounted: ${String(mount.stderr ?? mount.error)}`);
  }

  /** Writes until the disk is full. */
  fill(): void {
    const file = openSync(this.#filler, "a");
    try {
      for (;;) writeSync(file, Buffer.alloc(CHUNK_BYTES));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.#filler, { force: true });
  }

  [Symbol.dispose](): void {
    const unmount = spawnSync("umount", [this.path]);
    if (unmount.status !== 0) spawnSync("umount", ["--lazy", this.path]);
    rmdirSync(this.path);
  }
}

/** Whether a small disk can be made here; if not, the output has the reason. */
export function hasSmallDisk(): boolean {
  try {
    new SmallDisk(1)[Symbol.dispose]();
    return true;
  } catch (error) {
    skipFor("A full disk", error instanceof Error ? error.message.trim() : String(error));
    return false;
  }
}
