import { startProcess } from "#shared/process/start-process.ts";

await startProcess(async () => {
  const [{ runService }, { artifactProcess }] = await Promise.all([
    import("#shared/process/run-service.ts"),
    import("./artifact-process.ts"),
  ]);
  await runService(artifactProcess, process.env);
});
