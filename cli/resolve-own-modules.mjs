// Plain JavaScript, because it is loaded before anything else: resolves the imports among our own modules by their text
// alone. Node would look each of them up in the file system, which takes a quarter of the CPU time of a start.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

const ROOT = new URL("../", import.meta.url).href;
const FOLDERS = ["adapters/", "cli/", "kit/", "ports/", "proto/", "services/"].map((name) => ROOT + name);
/** Formats by the ends of names: of the sources, and of the compiled package. */
const FORMATS = new Map([
  [".ts", "module-typescript"],
  [".js", "module"],
]);

/** A module that does not exist fails when it is read, with its path in the error. */
export function resolveOwnModules() {
  const aliases = import.meta.url.endsWith(".mjs") ? readAliases() : new Map();
  const urlOf = (specifier, parent) => {
    if (specifier.startsWith(".")) return new URL(specifier, parent).href;
    const end = specifier.indexOf("/") + 1;
    const folder = aliases.get(specifier.slice(0, end));
    return folder && folder + specifier.slice(end);
  };
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL: parent } = context;
      const format = FORMATS.get(specifier.slice(-3));
      const isOurs = format && parent && FOLDERS.some((folder) => parent.startsWith(folder));
      const url = isOurs && urlOf(specifier, parent);
      return url ? { url, format, shortCircuit: true } : next(specifier, context);
    },
  });
}

/** The folders of `imports` in package.json: `#kit/*` is `kit/`. */
function readAliases() {
  const { imports } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));
  const withoutStar = (text) => text.replace(/\*$/, "");
  return new Map(
    Object.entries(imports).map(([alias, path]) => [withoutStar(alias), new URL(withoutStar(path), ROOT).href]),
  );
}
