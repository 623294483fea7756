import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { codeOf, isAbsent, textOfFile } from "#kit/platform/file-errors.ts";

/** The nearest folder, from the given one upwards, that has a package.json; undefined if there is none. */
export function projectFolderOf(folder: string): string | undefined {
  let current = resolve(folder);
  for (;;) {
    if (statSync(join(current, "package.json"), { throwIfNoEntry: false })?.isFile() === true) return current;
    const parent = dirname(current);
    if (parent === current) return undefined;
    current = parent;
  }
}

/** Where variables may be, most important first. Of each list the first file that exists is read. */
export function dotEnvPaths(agentsFolder: string, directory: string, appName?: string): readonly (readonly string[])[] {
  const project = projectFolderOf(agentsFolder);
  const ofProject = [directory, ...(project === undefined || project === directory ? [] : [project])];
  // ADK's commands write the key of an agent beside it.
  const ofApps = appName === undefined ? foldersIn(agentsFolder) : [join(agentsFolder, appName)];
  const ofAgents = [agentsFolder, ...ofApps];
  return [ofProject, ...ofAgents.map((folder) => [folder])].map((folders) =>
    folders.map((folder) => join(folder, ".env")),
  );
}

/** In the order of their names. */
function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const names = entries
      .filter((entry) => !entry.isFile() && !/^\.|^node_modules$/.test(entry.name))
      .map(({ name }) => name);
    return names.sort().map((name) => join(folder, name));
  } catch (error) {
    // Who loads the agents reports a folder that cannot be read.
    if (codeOf(error) !== undefined) return [];
    throw error;
  }
}

/**
 * Adds the variables of `.env` files to the environment. A variable that the environment or an earlier file has, and that
 * is not empty, stays as it is. Throws `CONFIGURATION` if a file cannot be read.
 */
export function addDotEnv(
  environment: Record<string, string | undefined>,
  paths: readonly (readonly string[])[],
): void {
  for (const alternatives of paths) {
    const text = firstPresent(alternatives);
    if (text === undefined) continue;
    for (const [name, value] of Object.entries(parseEnv(text))) {
      if ((environment[name] ?? "").trim() === "" && environment[`${name}_FILE`] === undefined)
        environment[name] = value;
    }
  }
}

function firstPresent(paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = readIfPresent(path);
    if (text !== undefined) return text;
  }
  return undefined;
}

function readIfPresent(path: string): string | undefined {
  try {
    return textOfFile(readFileSync(path));
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw new PlatformError(
      "CONFIGURATION",
      `The file ${path} cannot be read. Check that it is a file and its permissions.`,
      {
        cause: error,
      },
    );
  }
}
