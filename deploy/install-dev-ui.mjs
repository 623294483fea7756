#!/usr/bin/env node
/**
 * Gets the developer UI: the built web UI inside an npm package, fetched through the user's npm configuration, checked
 * against a pinned hash, and unpacked to `.dev-ui/`. Runs on any Node from 20 and needs no other package.
 *
 *   node deploy/install-dev-ui.mjs [--optional] [--force] [--dir FOLDER] [--tarball FILE] [--part FOLDER] [--retry-with COMMAND]
 *
 * `--part` takes another folder of the package than the UI's, which tests do to get the package's client.
 * `--optional` ends with exit code 0 even when it fails: an installation without network still gives a server.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const PACKAGE = "@google/adk-devtools@2.0.0";
const INTEGRITY = "sha512-9q88zzLjSE5DQg+42JWBVZjEi4byuhKFod9T4jcgYj3IysulqDaEh+cObFe/54LJUI9RvpjFfAWxrC46BggYqQ==";
const UI_FOLDER = "dist/browser";
const MARKER = ".installed.json";

const run = promisify(execFile);
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const { values: options } = parseArgs({
  options: {
    optional: { type: "boolean", default: false },
    force: { type: "boolean", default: false },
    dir: { type: "string", default: join(root, ".dev-ui") },
    tarball: { type: "string" },
    part: { type: "string", default: UI_FOLDER },
    "retry-with": { type: "string", default: "npm run ui:install" },
  },
});

try {
  await install(resolve(options.dir));
} catch (error) {
  const reason = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
  process.stderr.write(
    `Developer UI not installed: ${reason}. The server runs without it; retry with: ${options["retry-with"]}\n`,
  );
  process.exitCode = options.optional ? 0 : 1;
}

async function install(target) {
  if (!options.force && (await isInstalled(target))) return;
  // Beside the target, so that the final rename stays on one file system.
  await mkdir(dirname(target), { recursive: true });
  const staging = await mkdtemp(`${target}-`);
  try {
    const tarball = options.tarball ?? (await download(staging));
    await verify(tarball);
    await extract(tarball, staging);
    const ui = join(staging, "package", options.part);
    await writeFile(join(ui, MARKER), `${JSON.stringify({ package: PACKAGE, integrity: INTEGRITY })}\n`);
    await rm(target, { recursive: true, force: true });
    await rename(ui, target);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  process.stdout.write(`Developer UI installed (${PACKAGE}).\n`);
}

async function isInstalled(target) {
  try {
    return JSON.parse(await readFile(join(target, MARKER), "utf8")).integrity === INTEGRITY;
  } catch {
    return false;
  }
}

async function download(folder) {
  const argv = ["pack", PACKAGE, "--pack-destination", folder, "--silent", "--ignore-scripts"];
  // An installation must not wait for it without a network.
  if (options.optional) argv.push("--fetch-retries=0");
  const windows = process.platform === "win32";
  try {
    const { stdout } = await run(windows ? "npm.cmd" : "npm", argv, { timeout: 120_000, shell: windows });
    return join(folder, stdout.trim().split("\n").at(-1) ?? "");
  } catch {
    throw new Error(`npm could not fetch ${PACKAGE}`);
  }
}

async function verify(tarball) {
  const hash = createHash("sha512")
    .update(await readFile(tarball))
    .digest("base64");
  if (`sha512-${hash}` !== INTEGRITY)
    throw new Error("the package does not have the expected content (integrity check failed)");
}

async function extract(tarball, folder) {
  try {
    // `tar` is part of Linux, macOS and Windows.
    await run("tar", ["-xzf", tarball, "-C", folder, `package/${options.part}`], { timeout: 120_000 });
  } catch (error) {
    throw new Error(error?.code === "ENOENT" ? "the program `tar` is missing" : "the package could not be unpacked");
  }
}
