import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { openDataDir } from "./data-dir.ts";

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
    using dir = openDataDir(path);
    expect([dir.path, statSync(path).mode & 0o777]).toEqual([path, 0o700]);
  });

  it("refuses a locked folder, and locks it again after its release", () => {
    using folder = temporaryFolder();
    {
      using _held = openDataDir(folder.path);
      expect(reasonOf(() => openDataDir(folder.path))).toBe("DATA_DIR_IN_USE");
    }
    using again = openDataDir(folder.path);
    expect(again.path).toBe(folder.path);
  });

  it("refuses a file in the folder's place, and a place below a file", () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "file");
    writeFileSync(file, "");
    expect([file, join(file, "below")].map((path) => reasonOf(() => openDataDir(path)))).toEqual([
      "DATA_DIR_UNWRITABLE",
      "DATA_DIR_UNWRITABLE",
    ]);
  });
});
