#!/usr/bin/env node
// "npm create fairlead <path>" runs "fairlead create <path>".
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const { bin } = require("fairlead/package.json");
const command = join(dirname(require.resolve("fairlead/package.json")), bin.fairlead);
const { status, error } = spawnSync(process.execPath, [command, "create", ...process.argv.slice(2)], {
  stdio: "inherit",
});
if (error !== undefined) throw error;
process.exitCode = status ?? 1;
