import { startProcess } from "#shared/start-process.ts";

await startProcess(async () => {
  const [{ runService }, { sessionProcess }] = await Promise.all([
    import("#shared/run-service.ts"),
    import("./session-process.ts"),
  ]);
  await runService(sessionProcess, process.env);
});
