import { readFileSync } from "node:fs";
import { PlatformError } from "../errors/platform-error.ts";
import { textOfFile } from "./file-errors.ts";

/**
 * Returns the trimmed value of an environment variable; empty counts as unset. If only `<name>_FILE` is set, returns
 * the content of that file, which is read on each call so that a rotated secret takes effect without a restart.
 *
 * This is the only place where the kit reads the process's environment. It exists for the credentials of models, which
 * agent authors expect there; all other settings of the kit are arguments.
 */
export function readEnvironment(name: string): string | undefined {
  const value = process.env[name]?.trim();
  if (value !== undefined && value !== "") return value;
  const path = process.env[`${name}_FILE`]?.trim();
  if (path === undefined || path === "") return undefined;
  return readSecret(name, path);
}

function readSecret(name: string, path: string): string | undefined {
  try {
    const content = textOfFile(readFileSync(path)).trim();
    return content === "" ? undefined : content;
  } catch (error) {
    // The message contains no path because it may be sent to clients.
    throw new PlatformError("CONFIGURATION", `The file that ${name}_FILE names cannot be read.`, { cause: error });
  }
}
