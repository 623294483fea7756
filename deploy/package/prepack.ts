// npm runs this before it packs: it compiles the package and puts the published package.json and pages in place. npm
// reads package.json again afterwards. deploy/package/postpack.ts puts the clone's files back; if npm ends before it runs
// that, the process of deploy/package/restore-after.ts does.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { buildPackage } from "./build-package.ts";
import { readCloneManifest } from "./clone-manifest.ts";
import { packedPages } from "./packed-pages.ts";
import { parentsOf } from "./parent-processes.ts";
import { restoreFiles, swapFiles } from "./swap-files.ts";

const root = join(import.meta.dirname, "../..");
restoreFiles(root);
const manifest = await buildPackage(root);
const pages = packedPages(root, readCloneManifest(root));
const npm = parentsOf(process.pid).find(({ command }) => /^npm\b|\bnpm(?:-cli\.js)? /.test(command));
if (npm !== undefined) {
  const script = join(import.meta.dirname, "restore-after.ts");
  spawn(process.execPath, [script, String(npm.pid)], { detached: true, stdio: "ignore" }).unref();
}
swapFiles(root, new Map([...pages, ["package.json", `${JSON.stringify(manifest, null, 2)}\n`]]));
