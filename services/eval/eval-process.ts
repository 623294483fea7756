import { openGrpcProcess } from "#shared/process/grpc-process.ts";
import type { ServiceProcess } from "#shared/process/service-process.ts";
import { openEvalStore } from "#shared/stores/eval-store.ts";
import { openStore } from "#shared/stores/open-store.ts";
import { evalConfigSchema } from "./config.ts";
import { createEvalServer } from "./server.ts";

/** The evaluation process stores evaluation sets and results. */
export const evalProcess: ServiceProcess<typeof evalConfigSchema> = {
  name: "eval",
  schema: evalConfigSchema,
  open: async (context) => {
    const evaluations = await openStore("eval", context, openEvalStore);
    return openGrpcProcess(context, (shell) => createEvalServer({ ...shell, evaluations }));
  },
};
