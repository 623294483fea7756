import { refuseOldNode } from "#shared/refuse-old-node.ts";

// The server in one process with settings from the environment alone, as containers run it.
const refusal = refuseOldNode(process.versions.node);
if (refusal === undefined) {
  await start();
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}

async function start(): Promise<void> {
  const [{ loadConfig }, { standaloneConfigSchema }, { runStandalone }] = await Promise.all([
    import("#shared/load-config.ts"),
    import("./config.ts"),
    import("./run-standalone.ts"),
  ]);
  try {
    await runStandalone(loadConfig(standaloneConfigSchema, process.env));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
