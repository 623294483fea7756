import { readFileSync } from "node:fs";
import { PlatformError } from "../errors/platform-error.ts";

/**
 * The value of an environment variable, trimmed; empty counts as unset. When only `<name>_FILE` is set, the content of that
 * file, read anew on each call so that a rotated secret takes effect without a restart.
 *
 * The one place where the kit looks at the process's environment. It exists for the credentials of models, which agent authors
 * expect to find there; everything else the kit is told by arguments.
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
    const content = readFileSync(path, "utf8").trim();
    return content === "" ? undefined : content;
  } catch (error) {
    // The path stays out of the message: it may reach clients.
    throw new PlatformError("CONFIGURATION", `The file that ${name}_FILE names cannot be read.`, { cause: error });
  }
}
