import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LOADER_OPTIONS, PROTO_FILES, PROTO_FOLDER } from "#adapters/grpc/proto.ts";

const GENERATED = join(import.meta.dirname, "generated");

/** Writes the types of the messages. With `--check` it only names those that are out of step with the protos, and fails. */
function main(args: readonly string[]): void {
  if (!args.includes("--check")) {
    rmSync(GENERATED, { recursive: true, force: true });
    generate(GENERATED);
    return;
  }
  const fresh = mkdtempSync(join(tmpdir(), "agentplane-proto-"));
  try {
    generate(fresh);
    const names = new Set([...filesBelow(fresh), ...filesBelow(GENERATED)]);
    for (const name of names) {
      if (read(join(fresh, name)) === read(join(GENERATED, name))) continue;
      process.stderr.write(`proto/generated/${name} is out of step with the protos. Run: npm run generate\n`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

function generate(folder: string): void {
  const program = join(
    dirname(createRequire(import.meta.url).resolve("@grpc/proto-loader/package.json")),
    "build/bin/proto-loader-gen-types.js",
  );
  const flags = ["--grpcLib=@grpc/grpc-js", "--importFileExtension=.ts", "--includeDirs=."];
  const files = Object.values(PROTO_FILES);
  const result = spawnSync(process.execPath, [program, ...loaderFlags(), ...flags, `--outDir=${folder}`, ...files], {
    // The files name their sources relative to it.
    cwd: PROTO_FOLDER,
    encoding: "utf8",
  });
  if (result.status !== 0) throw new Error(`proto-loader-gen-types failed: ${result.stderr}`);
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".ts"))) dropUnused(join(folder, name));
}

/** Files without a service declare what only services use, which the compiler refuses. */
function dropUnused(path: string): void {
  const text = readFileSync(path, "utf8");
  if (text.includes("SubtypeConstructor<typeof")) return;
  const used = text.replace(/^import type \* as grpc .*\n/m, "").replace(/^type SubtypeConstructor[^}]*\};\n\n/m, "");
  writeFileSync(path, used);
}

/** The options under which messages are loaded, as the generator spells them. */
function loaderFlags(): readonly string[] {
  return Object.entries(LOADER_OPTIONS).map(([name, value]) =>
    typeof value === "function" ? `--${name}=${value.name}` : `--${name}=${String(value)}`,
  );
}

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(folder, name)).isFile());
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

main(process.argv.slice(2));
