#!/usr/bin/env node
// Plain JavaScript, which every Node can run. Finds a Node that can run the rest, with the flags that it needs, or
// reports in one sentence what is missing.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
// Named imports fail on Nodes that lack the export, before an error can be reported.
import nodeModule from "node:module";
import { fileURLToPath } from "node:url";

/** The published package is compiled; in the clone Node runs the sources, which need `using`. */
const isCompiled = !import.meta.url.endsWith(".mjs");
const OLDEST = isCompiled ? [22, 16] : [24, 12];

/** These features work on each supported Node, so users get no warnings about them. */
const EXPECTED_WARNING = /^(?:SQLite|Type Stripping) is an experimental feature/;

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** The Node that npm installed with the clone. */
function installedNode() {
  const path = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url));
  return !isCompiled && existsSync(path) ? path : undefined;
}

/** The flags for agents in TypeScript, on a Node that strips types only with a flag. */
function missingFlags() {
  if (process.features.typescript) return [];
  // The warning of that flag comes before this file runs, and no flag disables that one alone.
  return ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];
}

function runWith(node, flags) {
  const script = fileURLToPath(import.meta.url);
  const env = { ...process.env, FAIRLEAD_NODE: node };
  const argv = [...process.execArgv, ...flags, script, ...process.argv.slice(2)];
  const child = spawn(node, argv, { stdio: "inherit", env });
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  // A terminal sends Ctrl-C to the child by itself; a second one would end the child immediately.
  process.on("SIGINT", () => {
    if (!process.stdin.isTTY) child.kill("SIGINT");
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128);
  });
}

async function runHere() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    if (!EXPECTED_WARNING.test(String(warning))) emitWarning(warning, ...rest);
  };
  nodeModule.enableCompileCache();
  // After the line above, and not by a static import, which an old Node could not load.
  const { resolveOwnModules } = await import("./resolve-own-modules.mjs");
  resolveOwnModules();
  await import("./main.ts");
}

const isSecondStart = process.env.FAIRLEAD_NODE !== undefined;
if (isNewEnough(process.versions.node)) {
  const flags = isCompiled && !isSecondStart ? missingFlags() : [];
  if (flags.length > 0) runWith(process.execPath, flags);
  else await runHere();
} else {
  const node = isSecondStart ? undefined : installedNode();
  if (node !== undefined) runWith(node, []);
  else {
    const remedy = isCompiled ? "" : ", or run npm install here without --omit=optional";
    console.error(
      `Fairlead needs Node ${OLDEST.join(".")} or newer, and this is Node ${process.versions.node}: install a newer one${remedy}.`,
    );
    process.exitCode = 1;
  }
}
