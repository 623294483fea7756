import { openGrpcProcess } from "#shared/process/grpc-process.ts";
import type { ServiceProcess } from "#shared/process/service-process.ts";
import { openCredentialStore } from "#shared/stores/credential-store.ts";
import { createStoreOpener } from "#shared/stores/open-store.ts";
import { sessionLimitsOf } from "#shared/stores/session-limits.ts";
import { openSessionStore } from "#shared/stores/session-store.ts";
import { sessionConfigSchema } from "./config.ts";
import { EvaluationIssuer } from "./evaluation-issuer.ts";
import { createSessionServer } from "./server.ts";

/** The session process stores sessions, their events and state, and the records and leases of runs, and users' credentials for tools. */
export const sessionProcess: ServiceProcess<typeof sessionConfigSchema> = {
  name: "session",
  schema: sessionConfigSchema,
  open: async (context) => {
    const openStore = createStoreOpener(context);
    const store = await openStore("store", "session", openSessionStore);
    const userCredentials = await openStore("credentials", "credential", openCredentialStore);
    const { clock, ids, security } = context;
    const { grants, grantKeys: keys } = security;
    const evaluations = keys && new EvaluationIssuer({ keys, clock, ids });
    const limits = sessionLimitsOf(context.config);
    return openGrpcProcess(context, (shell) =>
      createSessionServer({
        ...shell,
        ...{ sessions: store, journal: store, userCredentials, limits, grants, evaluations },
      }),
    );
  },
};
