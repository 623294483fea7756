import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readEnvironment } from "./environment.ts";

const NAME = "KIT_ENVIRONMENT_TEST";

describe("readEnvironment", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("returns the trimmed value, and treats an empty one as unset", () => {
    vi.stubEnv(NAME, " key\n");
    expect(readEnvironment(NAME)).toBe("key");
    vi.stubEnv(NAME, " ");
    expect(readEnvironment(NAME)).toBeUndefined();
  });

  it("reads the file named by `_FILE` on each call, unless the variable itself is set", async () => {
    const folder = await mkdtemp(join(tmpdir(), "environment-"));
    try {
      const path = join(folder, "key");
      vi.stubEnv(`${NAME}_FILE`, path);
      await writeFile(path, "first\n");
      const first = readEnvironment(NAME);
      await writeFile(path, "second\n");
      const second = readEnvironment(NAME);
      vi.stubEnv(NAME, "direct");
      expect([first, second, readEnvironment(NAME)]).toEqual(["first", "second", "direct"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("names the variable, and not the path, when the file cannot be read", () => {
    vi.stubEnv(`${NAME}_FILE`, "/nowhere/secret-key");
    expect(() => readEnvironment(NAME)).toThrow(
      expect.objectContaining({ reason: "CONFIGURATION", message: `The file that ${NAME}_FILE names cannot be read.` }),
    );
  });
});
