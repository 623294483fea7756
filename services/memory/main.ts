import { startProcess } from "#shared/process/start-process.ts";

await startProcess(async () => {
  const [{ runService }, { memoryProcess }] = await Promise.all([
    import("#shared/process/run-service.ts"),
    import("./memory-process.ts"),
  ]);
  await runService(memoryProcess, process.env);
});
