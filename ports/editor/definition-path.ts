import { posix } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";

/** The file that makes a folder an app, in the editor's spelling. */
export const ROOT_FILE = "root_agent.yaml";

/**
 * Where drafts are, inside the app's folder. No upload can name a hidden folder, and loaders read none but this one, for
 * an app that has no file of its own yet.
 */
export const DRAFT_FOLDER = ".draft";

/** The app's settings: plugins and their arguments are written only in the app's deployed files. */
const APP_SETTINGS = /^app\.ya?ml$/i;

/**
 * The path without the `./` of references. Throws `INVALID_FIELD` for a path that is not a definition inside the app's
 * folder.
 */
export function definitionPath(given: string): string {
  const path = given.startsWith("./") ? given.slice(2) : given;
  if (!isDefinitionPath(path)) throw refusal(given, "is no .yaml or .yml file inside the app's folder");
  return path;
}

export function isDefinitionPath(path: string): boolean {
  return (
    /\.ya?ml$/i.test(path) &&
    posix.normalize(path) === path &&
    !posix.isAbsolute(path) &&
    path.split("/").every((part) => /^[^.\\:\u0000-\u001f][^\\:\u0000-\u001f]*$/.test(part))
  );
}

/** Throws `INVALID_FIELD` for a file that is not an agent. */
export function assertAgentPath(path: string): void {
  if (APP_SETTINGS.test(path))
    throw refusal(path, "holds the app's settings, which cannot be saved over HTTP: change the file itself");
}

/** `x.yml` for `x.yaml`, and `x.yaml` for `x.yml`. */
export function otherExtension(path: string): string {
  return /\.yaml$/i.test(path) ? path.replace(/\.yaml$/i, ".yml") : path.replace(/\.yml$/i, ".yaml");
}

export function refusal(value: string, why: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `"${value.slice(0, 200)}" ${why}.`, { details: { field: "files" } });
}
