// For processes of the image, whose own code has its types stripped already: disables Node's type stripping, which
// would take 20 MB per process. Agents keep it: they may be anyone's.
import { registerHooks } from "node:module";

const FOLDERS = ["adapters", "cli", "kit", "services"].map((name) => new URL(`${name}/`, import.meta.url).href);
const isPlain = (url) => url.endsWith(".ts") && FOLDERS.some((folder) => url.startsWith(folder));

registerHooks({
  load: (url, context, nextLoad) => nextLoad(url, isPlain(url) ? { ...context, format: "module" } : context),
});
