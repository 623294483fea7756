import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LOADER_OPTIONS, PROTO_FILES, PROTO_FOLDER } from "#adapters/grpc/channel/proto.ts";

const GENERATED = join(import.meta.dirname, "generated");

/** Writes the types of the messages. With `--check` it only names those that differ from the protos, and fails. */
function main(args: readonly string[]): void {
  if (!args.includes("--check")) {
    rmSync(GENERATED, { recursive: true, force: true });
    generate(GENERATED);
    return;
  }
  const fresh = mkdtempSync(join(tmpdir(), "fairlead-proto-"));
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
  writeFileSync(join(folder, "descriptors.json"), `${JSON.stringify(describeFiles(), undefined, 1)}\n`);
}

interface FileDescription {
  readonly name: string;
  readonly package?: string;
  readonly dependency?: readonly string[];
  readonly service?: readonly { readonly name: string }[];
  readonly messageType?: readonly { readonly name: string }[];
  readonly enumType?: readonly { readonly name: string }[];
}

/**
 * The file descriptors that reflection returns, each with the names by which it is found: the loader does not keep
 * files separate.
 */
function describeFiles() {
  const bytes = [...filesOf(buildDescriptors("binpb"))];
  // The compiler writes the same set in both forms.
  const { file } = JSON.parse(buildDescriptors("json").toString()) as { readonly file: readonly FileDescription[] };
  return file.map(
    ({ name, package: of = "", dependency = [], service = [], messageType = [], enumType = [] }, index) => ({
      name,
      dependencies: dependency,
      services: service.map((each) => `${of}.${each.name}`),
      symbols: [...messageType, ...enumType].map((each) => `${of}.${each.name}`),
      descriptor: bytes[index]?.toString("base64"),
    }),
  );
}

function buildDescriptors(format: "binpb" | "json"): Buffer {
  const buf = createRequire(import.meta.url).resolve("@bufbuild/buf/bin/buf");
  const args = ["build", "--as-file-descriptor-set", "--exclude-source-info", "-o", `-#format=${format}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [buf, ...args], { cwd: PROTO_FOLDER });
  if (status !== 0) throw new Error(`buf build failed: ${stderr.toString()}`);
  return stdout;
}

/** The files of a serialised FileDescriptorSet: for each a tag, its length as a varint, and its bytes. */
function* filesOf(set: Buffer): Generator<Buffer> {
  for (let at = 1; at < set.length; at += 1) {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = set.readUInt8(at);
      at += 1;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    yield set.subarray(at, at + length);
    at += length;
  }
}

/** Files without a service declare what only services use, which the compiler refuses. */
function dropUnused(path: string): void {
  const text = readFileSync(path, "utf8");
  if (text.includes("SubtypeConstructor<typeof")) return;
  const withoutImport = text.replace(/^import type \* as grpc .*\n/m, "");
  const [before = "", ...rest] = withoutImport.split("\ntype SubtypeConstructor");
  const declaration = rest.join("\ntype SubtypeConstructor");
  const end = "};\n\n";
  const at = declaration.indexOf(end);
  writeFileSync(path, at < 0 ? withoutImport : `${before}\n${declaration.slice(at + end.length)}`);
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
