// npm runs this after it has packed. `npm publish` reads package.json once more after that, to send it to the registry:
// then the clone's files are put back by deploy/package/restore-after.ts, when npm ends.
import { join } from "node:path";
import { restoreFiles } from "./swap-files.ts";

if (process.env["npm_command"] !== "publish") restoreFiles(join(import.meta.dirname, "../.."));
