import { enableCompileCache } from "node:module";
import { refuseOldNode } from "#shared/process/refuse-old-node.ts";

// Everything else is imported after this, so that the compile cache is enabled, and an old Node gets a message instead
// of a stack trace.
enableCompileCache();
const refusal = refuseOldNode(process.versions.node);
if (refusal === undefined) {
  const typed = process.argv.slice(2);
  const { startService } = await import("./start-service.ts");
  if (!(await startService(typed))) {
    const { main } = await import("./commands.ts");
    process.exitCode = await main(typed, process.env);
  }
} else {
  console.error(refusal);
  process.exitCode = 1;
}
