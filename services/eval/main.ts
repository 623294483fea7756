import { startProcess } from "#shared/process/start-process.ts";

await startProcess(async () => {
  const [{ runService }, { evalProcess }] = await Promise.all([
    import("#shared/process/run-service.ts"),
    import("./eval-process.ts"),
  ]);
  await runService(evalProcess, process.env);
});
