// For processes of the image, whose own code is stripped of its types already: says so to Node, which would else load what strips them,
// 20 MB for each process. Agents are left to Node: they may be anybody's.
import { registerHooks } from "node:module";

const FOLDERS = ["adapters", "cli", "kit", "services"].map((name) => new URL(`${name}/`, import.meta.url).href);
const isPlain = (url) => url.endsWith(".ts") && FOLDERS.some((folder) => url.startsWith(folder));

registerHooks({
  load: (url, context, nextLoad) => nextLoad(url, isPlain(url) ? { ...context, format: "module" } : context),
});
