import { openGrpcProcess } from "#shared/process/grpc-process.ts";
import type { ServiceProcess } from "#shared/process/service-process.ts";
import { openMemoryStore } from "#shared/stores/memory-store.ts";
import { openStore } from "#shared/stores/open-store.ts";
import { memoryConfigSchema } from "./config.ts";
import { createMemoryServer } from "./server.ts";

/** The memory process stores agents' long-term memory of their users. */
export const memoryProcess: ServiceProcess<typeof memoryConfigSchema> = {
  name: "memory",
  schema: memoryConfigSchema,
  open: async (context) => {
    const memory = await openStore("memory", context, openMemoryStore);
    return openGrpcProcess(context, (shell) => createMemoryServer({ ...shell, memory }));
  },
};
