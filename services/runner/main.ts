import { startProcess } from "#shared/start-process.ts";

await startProcess(async () => {
  const [{ runService }, { runnerProcess }] = await Promise.all([
    import("#shared/run-service.ts"),
    import("./runner-process.ts"),
  ]);
  await runService(runnerProcess, process.env);
});
