import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { readOptions } from "./options.ts";

const SCRIPT = fileURLToPath(new URL("kind.ts", import.meta.url));
const DEFAULTS = {
  cluster: "fairlead",
  namespace: "fairlead",
  release: "fairlead",
  image: "fairlead:dev",
  anyContext: false,
};

/** The script with a kubectl that has one context and nothing else. */
function kind(context: string, ...args: readonly string[]): readonly [number | null, string] {
  const folder = mkdtempSync(join(tmpdir(), "kind-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "kubectl"), `#!/bin/sh\necho ${context}\n`, { mode: 0o755 });
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
    env: { PATH: folder },
    encoding: "utf8",
  });
  return [status, stderr];
}

describe("the kind scripts", () => {
  it("have defaults, and are refused what they do not know", () => {
    expect(readOptions([], {})).toEqual(DEFAULTS);
    expect(readOptions(["--any-context", "--image=localhost:5000/fairlead:1"], { E2E_LOAD_IMAGE: "load" })).toEqual({
      ...DEFAULTS,
      anyContext: true,
      image: "localhost:5000/fairlead:1",
      loadImage: "load",
    });
    expect(() => readOptions(["--image=fairlead"], {})).toThrow("--image must have a tag");
    expect(() => readOptions(["--force"], {})).toThrow("--force");
  });

  it("leave a cluster alone that is not kind's", () => {
    expect(kind("production", "install")).toEqual([
      1,
      expect.stringContaining('"production", which is not one of kind'),
    ]);
    expect(kind("kind-fairlead", "install")).toEqual([1, "helm cannot be started: is it installed?\n"]);
    expect(kind("production", "install", "--any-context")).toEqual([1, "helm cannot be started: is it installed?\n"]);
    expect(kind("production", "instal")).toEqual([2, expect.stringContaining("npm run kind:install")]);
  });
});
