import { startProcess } from "#shared/process/start-process.ts";

await startProcess(async () => {
  const [{ runService }, { gatewayProcess }] = await Promise.all([
    import("#shared/process/run-service.ts"),
    import("./gateway-process.ts"),
  ]);
  await runService(gatewayProcess, process.env);
});
