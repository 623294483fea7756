#!/usr/bin/env node
// Plain JavaScript for any Node: finds one that can run the rest, or says in one sentence what is missing.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const OLDEST = [24, 12];

/** Whether this Node strips types without a flag and knows `using`. */
function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** The Node that npm installed with this package, as part of its own tree or of the project that uses it. */
function installedNode() {
  const places = ["../node_modules/.bin/node", "../../.bin/node"];
  return places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path));
}

function runWith(node) {
  const script = fileURLToPath(import.meta.url);
  const env = { ...process.env, AGENTPLANE_NODE: node };
  const child = spawn(node, [script, ...process.argv.slice(2)], { stdio: "inherit", env });
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  // A terminal sends Ctrl-C to the child by itself; a second one would end it at once.
  process.on("SIGINT", () => {
    if (!process.stdin.isTTY) child.kill("SIGINT");
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128);
  });
}

if (isNewEnough(process.versions.node)) {
  // Named imports fail on Nodes that lack the export, before anything can be said.
  createRequire(import.meta.url)("node:module").enableCompileCache();
  await import("./main.ts");
} else {
  const node = process.env.AGENTPLANE_NODE === undefined ? installedNode() : undefined;
  if (node === undefined) {
    console.error(
      `Agentplane needs Node ${OLDEST.join(".")} or newer, and this is Node ${process.versions.node}: install a newer one, or run npm install here without --omit=optional.`,
    );
    process.exitCode = 1;
  } else {
    runWith(node);
  }
}
