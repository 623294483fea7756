import { openGrpcProcess } from "#shared/process/grpc-process.ts";
import type { ServiceProcess } from "#shared/process/service-process.ts";
import { openArtifactStore } from "#shared/stores/artifact-store.ts";
import { openStore } from "#shared/stores/open-store.ts";
import { artifactConfigSchema } from "./config.ts";
import { createArtifactServer } from "./server.ts";

/** The artifact process stores artifacts and their versions. */
export const artifactProcess: ServiceProcess<typeof artifactConfigSchema> = {
  name: "artifact",
  schema: artifactConfigSchema,
  open: async (context) => {
    const artifacts = await openStore("artifact", context, openArtifactStore);
    return openGrpcProcess(context, (shell) => createArtifactServer({ ...shell, artifacts }));
  },
};
