import { startProcess } from "#shared/start-process.ts";

await startProcess(async () => {
  const [{ runService }, { artifactProcess }] = await Promise.all([
    import("#shared/run-service.ts"),
    import("./artifact-process.ts"),
  ]);
  await runService(artifactProcess, process.env);
});
