import { startProcess } from "#shared/process/start-process.ts";

await startProcess(async () => {
  const [{ runService }, { runnerProcess }] = await Promise.all([
    import("#shared/process/run-service.ts"),
    import("./runner-process.ts"),
  ]);
  await runService(runnerProcess, process.env);
});
