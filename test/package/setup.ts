import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { npmInstall, run } from "./commands.ts";
import { type NodeRelease, OUTSIDE_VARIABLE, type Outside, PUBLISHER } from "./outside.ts";

/** The oldest that the package supports, and the newest of each line. */
const VERSIONS = ["22.16.0", "22", "24", "26"];
const TOOLS = ["esbuild", "vitest@5", "typescript-5@npm:typescript@5.9", "typescript-7@npm:typescript@7"];

/** Packs the package in a copy of the clone and installs it in an empty project, with the tools of users beside. */
export async function setup(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-package-"));
  const clone = copyClone(join(folder, "clone"));
  const [tarball, nodes] = await Promise.all([
    pack(clone, folder),
    Promise.all(VERSIONS.map((version) => installNode(join(folder, `node-${version}`), version))),
    npmInstall(project(folder), TOOLS),
  ]);
  const app = project(join(folder, "app"));
  await npmInstall(app, [tarball]);
  process.env[OUTSIDE_VARIABLE] = JSON.stringify({ folder, clone, tarball, app, nodes } satisfies Outside);
  return () => rmSync(folder, { recursive: true, force: true });
}

function copyClone(target: string): string {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const paths = execFileSync("git", args, { cwd: REPOSITORY_ROOT, encoding: "utf8" }).split("\0");
  for (const path of paths) {
    const from = join(REPOSITORY_ROOT, path);
    if (path !== "" && existsSync(from)) cpSync(from, join(target, path));
  }
  symlinkSync(join(REPOSITORY_ROOT, "node_modules"), join(target, "node_modules"));
  return target;
}

async function pack(clone: string, target: string): Promise<string> {
  // The release does the same, with its own repository.
  await run("npm", ["pkg", "set", ...Object.entries(PUBLISHER).map(([field, value]) => `${field}=${value}`)], {
    directory: clone,
  });
  const output = await run("npm", ["pack", "--silent", "--pack-destination", target], { directory: clone });
  return join(target, /\S+\.tgz/.exec(output)?.[0] ?? "");
}

function project(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  return folder;
}

async function installNode(folder: string, version: string): Promise<NodeRelease> {
  const prefix = process.platform === "darwin" ? "node-bin-darwin" : `node-${process.platform}`;
  const name = `${prefix}-${process.arch}`;
  try {
    await npmInstall(project(folder), [`${name}@${version}`]);
    return { version, program: join(folder, "node_modules", name, "bin/node") };
  } catch (error) {
    return { version, reason: error instanceof Error ? error.message.slice(0, 500) : String(error) };
  }
}
