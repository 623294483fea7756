import { startProcess } from "#shared/start-process.ts";

await startProcess(async () => {
  const [{ runService }, { gatewayProcess }] = await Promise.all([
    import("#shared/run-service.ts"),
    import("./gateway-process.ts"),
  ]);
  await runService(gatewayProcess, process.env);
});
