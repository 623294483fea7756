import { openGrpcProcess } from "#shared/grpc-process.ts";
import { openStore } from "#shared/open-store.ts";
import type { ServiceProcess } from "#shared/service-process.ts";
import { sessionLimitsOf } from "#shared/session-limits.ts";
import { openSessionStore } from "#shared/session-store.ts";
import { sessionConfigSchema } from "./config.ts";
import { createSessionServer } from "./server.ts";

/** Keeps sessions, their events and state, and the records and leases of runs. */
export const sessionProcess: ServiceProcess<typeof sessionConfigSchema> = {
  name: "session",
  schema: sessionConfigSchema,
  open: async (context) => {
    const store = await openStore("session", context, openSessionStore);
    const limits = sessionLimitsOf(context.config);
    return openGrpcProcess(context, (shell) =>
      createSessionServer({ ...shell, sessions: store, journal: store, limits }),
    );
  },
};
