import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Version } from "#kit/version.ts";

/** An installation takes less time: it gives up after 4 minutes. An older mark is of a process that was killed. */
const LONGEST_INSTALLATION_MS = 5 * 60_000;

const isCompiled = !import.meta.url.endsWith(".ts");

export interface DevUiFolder {
  readonly path: string;
  /** The command that installs the UI there. */
  readonly installCommand: string;
}

/**
 * Where the developer UI is installed: in the clone's own folder, which `npm ci` fills, or in the user's folder for caches,
 * because the published package installs nothing by itself.
 */
export function devUiFolder(
  compiled: boolean = isCompiled,
  cacheHome: string | undefined = process.env["XDG_CACHE_HOME"],
): DevUiFolder {
  if (!compiled) {
    return { path: fileURLToPath(new URL("../../../.dev-ui/", import.meta.url)), installCommand: "npm run ui:install" };
  }
  const caches = cacheHome === undefined || cacheHome === "" ? join(homedir(), ".cache") : cacheHome;
  return {
    path: join(caches, "fairlead", `dev-ui-${Version.FAIRLEAD_VERSION}`),
    installCommand: "npx fairlead ui install",
  };
}

export function isDevUiInstalled(path: string): boolean {
  return existsSync(join(path, "index.html"));
}

/** Marks that the UI is being installed, for the page that is shown meanwhile. Returns a function that ends it. */
export function markInstallation(path: string): () => void {
  const mark = markOf(path);
  mkdirSync(dirname(mark), { recursive: true });
  writeFileSync(mark, "");
  return () => rmSync(mark, { force: true });
}

/** Whether this process or another one installs the UI now. */
export function isBeingInstalled(path: string, nowMs: number): boolean {
  const found = statSync(markOf(path), { throwIfNoEntry: false });
  return found !== undefined && nowMs - found.mtimeMs < LONGEST_INSTALLATION_MS;
}

function markOf(path: string): string {
  return `${path.replace(/[/\\]$/, "")}.installing`;
}
