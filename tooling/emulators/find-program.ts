import { access, constants } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** Contains the programs that tests have installed. */
export function toolsFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "fairlead-tools");
}

export function pathFolders(): readonly string[] {
  return (process.env["PATH"] ?? "").split(delimiter);
}

export async function firstExecutable(
  name: string,
  folders: readonly (string | undefined)[],
): Promise<string | undefined> {
  for (const folder of folders) {
    if (!folder) continue;
    try {
      await access(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // The program is not in this folder.
    }
  }
  return undefined;
}
