// npm runs this after it has packed. `npm publish` reads package.json once more after that, to send it to the registry:
// then the clone's is put back by deploy/package/restore-after.ts, when npm ends.
import { join } from "node:path";
import { restoreManifest } from "./swap-manifest.ts";

if (process.env["npm_command"] !== "publish") restoreManifest(join(import.meta.dirname, "../.."));
