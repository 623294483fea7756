// Compiles our code and the packages that every start loads, so that containers find it compiled, which saves a third
// of the CPU time of a start. Node keys the results by its version, the processor's features and the user, and
// ignores them if these do not match.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";

const FOLDERS = ["adapters", "agents", "cli", "kit", "ports", "services"];
const PACKAGES = ["@google-cloud/firestore", "@google-cloud/storage", "ioredis", "yaml", "pino"];
const PROCESSES = ["gateway", "runner", "session", "artifact", "memory", "eval", "standalone"];

enableCompileCache();
await Promise.all([
  ...FOLDERS.flatMap(sourcesOf).map((path) => import(join(process.cwd(), path))),
  ...PACKAGES.map((name) => import(name)),
]);
// Entry modules start their process when they are loaded. A setting that is refused ends them first.
for (const name of PROCESSES) {
  const args = [...process.execArgv, "cli/fairlead.mjs", name];
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, LOG_LEVEL: "none" },
    encoding: "utf8",
  });
  if (status !== 1 || !stderr.includes("LOG_LEVEL")) throw new Error(`${name} ended with ${status}: ${stderr}`);
}
process.exit(0);

function sourcesOf(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith(".ts") && !/(?:^|\/)main\.ts$/.test(path))
    .map((path) => join(folder, path));
}
