import { startProcess } from "#shared/start-process.ts";

await startProcess(async () => {
  const [{ runService }, { memoryProcess }] = await Promise.all([
    import("#shared/run-service.ts"),
    import("./memory-process.ts"),
  ]);
  await runService(memoryProcess, process.env);
});
