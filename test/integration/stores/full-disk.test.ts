import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDataDir } from "#adapters/sqlite/data-dir.ts";
import { openDatabase } from "#adapters/sqlite/database/sqlite-database.ts";
import { verifies } from "#test/helpers/verifies.ts";

const OPTIONS = { otherFolder: "Name another folder." };
const SCHEMA = [{ number: 1, name: "test", oldest: 1, sql: "CREATE TABLE t (a)" }];

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "full-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Whether a file system of 3 MiB is mounted at the folder now: only some users may mount. */
function mountSmall(folder: string): boolean {
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", folder]).status !== 0) return false;
  onTestFinished(() => void spawnSync("umount", [folder]));
  return true;
}

/** Fills the disk to its last block. */
function fill(path: string): void {
  const block = Buffer.alloc(4096, 1);
  try {
    for (;;) writeFileSync(path, block, { flag: "a" });
  } catch {
    // The disk is full.
  }
}

describe("a data folder that is closed in good order", () => {
  it("holds space for the logs of its databases, which is free while it is open", () => {
    verifies("peers:files:full-disk");
    const folder = temporaryFolder();
    const file = join(folder, "reserved-space");
    const first = openDataDir(folder, OPTIONS);
    expect(existsSync(file)).toBe(false);
    first[Symbol.dispose]();
    expect([statSync(file).size, statSync(file).mode & 0o777]).toEqual([1024 * 1024, 0o600]);
    using _second = openDataDir(folder, OPTIONS);
    expect(existsSync(file)).toBe(false);
  });

  it("serves reads after a start on a full disk", (context) => {
    const disk = temporaryFolder();
    if (!mountSmall(disk)) context.skip("this user may not mount a file system");
    const folder = join(disk, "data");
    const file = join(folder, "some.sqlite");
    {
      using _lock = openDataDir(folder, OPTIONS);
      const database = openDatabase({ file, schema: SCHEMA });
      database.exec("INSERT INTO t VALUES (7)");
      database.close();
    }
    fill(join(disk, "fill"));
    using _lock = openDataDir(folder, OPTIONS);
    const database = openDatabase({ file, schema: SCHEMA });
    expect(database.prepare("SELECT a FROM t").all()).toEqual([{ a: 7 }]);
    database.close();
  });
});
