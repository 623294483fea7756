import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";

function run(program: string, args: readonly string[], folder = REPOSITORY_ROOT): readonly unknown[] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: "utf8" });
  return [status, stdout, stderr];
}

it("keeps the generated types in step with the protos", () => {
  verifies("platform:grpc:contract");
  expect(run(join(REPOSITORY_ROOT, "proto/generate.ts"), ["--check"])).toEqual([0, "", ""]);
});

it.each(["lint", "format"])("keeps the protos in the form that buf asks for: %s", (command) => {
  const buf = createRequire(import.meta.url).resolve("@bufbuild/buf/bin/buf");
  const args = command === "format" ? ["format", "--diff", "--exit-code"] : [command];
  expect(run(buf, args, join(REPOSITORY_ROOT, "proto"))).toEqual([0, "", ""]);
});
