import { startProcess } from "#shared/start-process.ts";

await startProcess(async () => {
  const [{ runService }, { evalProcess }] = await Promise.all([
    import("#shared/run-service.ts"),
    import("./eval-process.ts"),
  ]);
  await runService(evalProcess, process.env);
});
