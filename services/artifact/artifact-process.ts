import { openArtifactStore } from "#shared/artifact-store.ts";
import { openGrpcProcess } from "#shared/grpc-process.ts";
import { openStore } from "#shared/open-store.ts";
import type { ServiceProcess } from "#shared/service-process.ts";
import { artifactConfigSchema } from "./config.ts";
import { createArtifactServer } from "./server.ts";

/** Keeps artifacts and their versions. */
export const artifactProcess: ServiceProcess<typeof artifactConfigSchema> = {
  name: "artifact",
  schema: artifactConfigSchema,
  open: async (context) => {
    const artifacts = await openStore("artifact", context, openArtifactStore);
    return openGrpcProcess(context, (shell) => createArtifactServer({ ...shell, artifacts }));
  },
};
