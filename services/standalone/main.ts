import { startProcess } from "#shared/process/start-process.ts";

// The standalone server with settings from the environment only, as containers run it.
await startProcess(async () => {
  const [{ loadConfig }, { standaloneConfigSchema }, { runStandalone }] = await Promise.all([
    import("#shared/config/load-config.ts"),
    import("./config.ts"),
    import("./run-standalone.ts"),
  ]);
  await runStandalone(loadConfig(standaloneConfigSchema, process.env));
});
