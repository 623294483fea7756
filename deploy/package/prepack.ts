// npm runs this before it packs: it compiles the package and puts the published package.json in place. npm reads that
// file again afterwards. deploy/package/postpack.ts puts the clone's back; if npm ends before it runs that, the process
// of deploy/package/restore-after.ts does.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { buildPackage } from "./build-package.ts";
import { parentsOf } from "./parent-processes.ts";
import { restoreManifest, swapManifest } from "./swap-manifest.ts";

const root = join(import.meta.dirname, "../..");
restoreManifest(root);
const manifest = await buildPackage(root);
const npm = parentsOf(process.pid).find(({ command }) => /^npm\b|\bnpm(?:-cli\.js)? /.test(command));
if (npm !== undefined) {
  const script = join(import.meta.dirname, "restore-after.ts");
  spawn(process.execPath, [script, String(npm.pid)], { detached: true, stdio: "ignore" }).unref();
}
swapManifest(root, manifest);
