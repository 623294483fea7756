import { posix } from "node:path";

const MAX_FILES = 25;
/** One file a message of a protocol, one a resource of Kubernetes: their names are given from outside. */
const NAMED_OUTSIDE = /^(?:proto\/generated|charts)\//;
/** Ordered as a reader finds them. */
const ROOT = new Set([
  ...[".ci", ".gitignore", ".dockerignore", ".nvmrc", ".npmrc", ".node-version", ".github"],
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"],
  ...["package.json", "package-lock.json", "tsconfig.json", "biome.json", "buf.yaml", "knip.json", "vitest.config.ts"],
  ...["kit", "ports", "client", "adapters", "services", "proto", "cli", "agents"],
  ...["charts", "deploy", "docs", "bench", "test", "tooling"],
]);

/** Folders with more files than a reader takes in. */
export function folderFaults(paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (NAMED_OUTSIDE.test(path)) continue;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => `${folder} has ${count} files; the most is ${MAX_FILES}: give them folders.`);
}

/** What lies at the root and is not on its list. */
export function rootFaults(paths: readonly string[]): readonly string[] {
  const names = new Set(paths.map((path) => path.split("/")[0] ?? path));
  return [...names]
    .filter((name) => !ROOT.has(name))
    .map((name) => `${name}: nothing of that name belongs at the root.`);
}
