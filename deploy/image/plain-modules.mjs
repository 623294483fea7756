// Disables Node's type stripping for our own code, whose types are stripped when the image is built: it would take 20
// MB per process. Files elsewhere, such as agents in TypeScript, are still stripped.
import { registerHooks } from "node:module";

const FOLDERS = ["adapters", "cli", "kit", "ports", "services"].map(
  (name) => new URL(`${name}/`, import.meta.url).href,
);
const isPlain = (url) => url.endsWith(".ts") && FOLDERS.some((folder) => url.startsWith(folder));

registerHooks({
  load: (url, context, nextLoad) => nextLoad(url, isPlain(url) ? { ...context, format: "module" } : context),
});
