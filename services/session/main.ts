import { startProcess } from "#shared/process/start-process.ts";

await startProcess(async () => {
  const [{ runService }, { sessionProcess }] = await Promise.all([
    import("#shared/process/run-service.ts"),
    import("./session-process.ts"),
  ]);
  await runService(sessionProcess, process.env);
});
