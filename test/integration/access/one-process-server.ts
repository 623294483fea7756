import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Stores } from "#adapters/stores.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { systemClock as clock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { Gateway } from "#services/gateway/add-routes.ts";
import { createGateway } from "#services/gateway/app.ts";
import type { Authenticator } from "#services/gateway/identity/authenticator.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { openCore } from "#services/standalone/core.ts";
import { openStores } from "#services/standalone/open-stores.ts";
import { openAgentFiles } from "#shared/agents/editor/open-agent-files.ts";
import { openAgentLoader } from "#shared/agents/open-agent-loader.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openKeyStore } from "#shared/stores/key-store.ts";
import { openRunTransport } from "#shared/transport/run-transport.ts";
import { send } from "#test/helpers/openapi-examples.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import type { MatrixServer } from "./access-matrix.ts";
import { callerNamed, isNamed } from "./matrix-callers.ts";

const SAMPLES = join(REPOSITORY_ROOT, "agents");
const CALLER = "x-test-caller";

const byName: Authenticator = {
  authenticate: ({ headers }) => {
    const name = headers[CALLER];
    if (name === "expired") throw new PlatformError("UNAUTHENTICATED", "The credentials have expired.");
    return typeof name === "string" && isNamed(name) ? callerNamed(name) : undefined;
  },
};

/** The server in one process with the sample agents, whose callers name themselves. */
export async function startOneProcess(
  settings: Readonly<Record<string, string>> = {},
): Promise<MatrixServer & { readonly gateway: Gateway }> {
  const drafts = agentsFolder({});
  cpSync(join(SAMPLES, "travel_desk_yaml"), join(drafts.path, "travel_desk_yaml"), { recursive: true });
  const config = loadConfig(standaloneConfigSchema, {
    PORT: "0",
    DATA_DIR: agentsFolder({}).path,
    MCP_APPS: "weather",
    INBOX: "memory",
    SCHEDULES: "memory",
    WEBHOOKS: "memory",
    ...settings,
  });
  const logger = new RecordingLogger();
  const stack = new AsyncDisposableStack();
  const parts = { config, clock, logger, ids: new UuidV7Generator(), stack };
  const agentLoader = await openAgentLoader({ ...config, AGENTS_DIR: SAMPLES }, logger);
  stack.defer(() => agentLoader.close());
  const stores = Promise.withResolvers<Stores>();
  const core = await openCore({
    ...parts,
    agentLoader,
    openStores: (watch) => {
      stores.resolve(openStores(parts, watch));
      return stores.promise;
    },
    openKeyStore: () => openKeyStore(parts),
    openTransport: (context) => openRunTransport({ ...parts, ...context }),
    isOnlyProcess: true,
  });
  core.ready();
  const builder = openAgentFiles(drafts.path, "");
  const gateway = await createGateway({ ...core.gatewayDeps, builder, authenticators: [byName] });
  stack.defer(() => gateway.close());
  return {
    gateway,
    send: (request, caller, isEndless = false) =>
      send(gateway, { ...request, headers: { ...request.headers, [CALLER]: caller } }, isEndless),
    credentials: (await stores.promise).credentialService,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
