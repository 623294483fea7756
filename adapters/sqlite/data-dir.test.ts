import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { openDataDir } from "./data-dir.ts";

const OPTIONS = { otherFolder: "with another name" };

function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), "data-dir-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

function reasonOf(open: () => unknown): string | undefined {
  try {
    open();
    return undefined;
  } catch (error) {
    return error instanceof PlatformError ? error.reason : String(error);
  }
}

describe("openDataDir", () => {
  it("creates the folder, for its owner only", () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "a", "b");
    using dir = openDataDir(path, OPTIONS);
    expect([dir.path, statSync(path).mode & 0o777]).toEqual([path, 0o700]);
  });

  it("keeps a folder that it creates out of Git, and leaves one that exists as it is", () => {
    verifies("platform:command:data-out-of-git");
    using folder = temporaryFolder();
    execFileSync("git", ["init", "--quiet"], { cwd: folder.path });
    const path = join(folder.path, "data");
    {
      using _created = openDataDir(path, OPTIONS);
      writeFileSync(join(path, "sessions.db"), "private");
    }
    expect(execFileSync("git", ["status", "--porcelain"], { cwd: folder.path, encoding: "utf8" })).toBe("");
    rmSync(join(path, ".gitignore"));
    using _known = openDataDir(path, OPTIONS);
    expect(existsSync(join(path, ".gitignore"))).toBe(false);
  });

  it("refuses a locked folder, and locks it again after its release", () => {
    using folder = temporaryFolder();
    {
      using _held = openDataDir(folder.path, OPTIONS);
      expect(reasonOf(() => openDataDir(folder.path, OPTIONS))).toBe("DATA_DIR_IN_USE");
    }
    using again = openDataDir(folder.path, OPTIONS);
    expect(again.path).toBe(folder.path);
  });

  it("refuses a file in the folder's place, and a place below a file", () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "file");
    writeFileSync(file, "");
    expect([file, join(file, "below")].map((path) => reasonOf(() => openDataDir(path, OPTIONS)))).toEqual([
      "DATA_DIR_UNWRITABLE",
      "DATA_DIR_UNWRITABLE",
    ]);
  });

  it("is shared by different uses of one process, and by none that excludes others", () => {
    using folder = temporaryFolder();
    const open = (use?: string) => openDataDir(folder.path, use === undefined ? OPTIONS : { ...OPTIONS, use });
    const one = open("one");
    const other = open("other");
    expect([reasonOf(() => open("one")), reasonOf(() => open())]).toEqual(["DATA_DIR_IN_USE", "DATA_DIR_IN_USE"]);
    one[Symbol.dispose]();
    one[Symbol.dispose]();
    expect(reasonOf(() => open("other"))).toBe("DATA_DIR_IN_USE");
    using _again = open("one");
    other[Symbol.dispose]();
    expect(reasonOf(() => open())).toBe("DATA_DIR_IN_USE");
  });
});
