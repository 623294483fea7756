import { openEvalStore } from "#shared/eval-store.ts";
import { openGrpcProcess } from "#shared/grpc-process.ts";
import { openStore } from "#shared/open-store.ts";
import type { ServiceProcess } from "#shared/service-process.ts";
import { evalConfigSchema } from "./config.ts";
import { createEvalServer } from "./server.ts";

/** Keeps evaluation sets and results. */
export const evalProcess: ServiceProcess<typeof evalConfigSchema> = {
  name: "eval",
  schema: evalConfigSchema,
  open: async (context) => {
    const evaluations = await openStore("eval", context, openEvalStore);
    return openGrpcProcess(context, (shell) => createEvalServer({ ...shell, evaluations }));
  },
};
