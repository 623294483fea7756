import { startProcess } from "#shared/process/start-process.ts";

// The server in one process with settings from the environment alone, as containers run it.
await startProcess(async () => {
  const [{ loadConfig }, { standaloneConfigSchema }, { runStandalone }] = await Promise.all([
    import("#shared/config/load-config.ts"),
    import("./config.ts"),
    import("./run-standalone.ts"),
  ]);
  await runStandalone(loadConfig(standaloneConfigSchema, process.env));
});
