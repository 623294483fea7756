import { openGrpcProcess } from "#shared/grpc-process.ts";
import { openMemoryStore } from "#shared/memory-store.ts";
import { openStore } from "#shared/open-store.ts";
import type { ServiceProcess } from "#shared/service-process.ts";
import { memoryConfigSchema } from "./config.ts";
import { createMemoryServer } from "./server.ts";

/** Keeps what agents remember of their users. */
export const memoryProcess: ServiceProcess<typeof memoryConfigSchema> = {
  name: "memory",
  schema: memoryConfigSchema,
  open: async (context) => {
    const memory = await openStore("memory", context, openMemoryStore);
    return openGrpcProcess(context, (shell) => createMemoryServer({ ...shell, memory }));
  },
};
