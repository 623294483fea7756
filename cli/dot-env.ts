import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isAbsent, textOfFile } from "#kit/platform/file-errors.ts";

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

/** The project's `.env` file: in the current folder, or else beside the package.json of the agents' project. */
export function dotEnvPaths(agentsFolder: string, directory: string): readonly string[] {
  const project = projectFolderOf(agentsFolder);
  return [directory, ...(project === undefined || project === directory ? [] : [project])].map((folder) =>
    join(folder, ".env"),
  );
}

/**
 * Adds the variables of the first `.env` file that exists to the environment. A variable that the environment has, and
 * that is not empty, stays as it is. Throws `CONFIGURATION` if the file cannot be read.
 */
export function addDotEnv(environment: Record<string, string | undefined>, paths: readonly string[]): void {
  for (const path of paths) {
    const text = readIfPresent(path);
    if (text === undefined) continue;
    for (const [name, value] of Object.entries(parseEnv(text))) {
      if ((environment[name] ?? "").trim() === "" && environment[`${name}_FILE`] === undefined)
        environment[name] = value;
    }
    return;
  }
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
