import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import type { ErrorDetail } from "#kit/errors/shown-error.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { Gateway } from "#services/gateway/add-routes.ts";
import { createGateway } from "#services/gateway/app.ts";
import type { AgentFiles } from "#services/gateway/deps.ts";
import { assertMayListen } from "#services/gateway/identity/may-listen.ts";
import { closeGateway, cutOffGateway, listen } from "#services/gateway/listen.ts";
import { type ShutdownSteps, shutDown } from "#shared/process/lifecycle.ts";
import { openKeyStore } from "#shared/stores/key-store.ts";
import { openRunTransport } from "#shared/transport/run-transport.ts";
import type { StandaloneConfig } from "./config.ts";
import { openCore } from "./core.ts";
import { openStores } from "./open-stores.ts";

export interface StandaloneOptions {
  readonly config: StandaloneConfig;
  /** Closed together with the server. */
  readonly agentLoader: AgentLoader;
  readonly builder?: AgentFiles | undefined;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
}

/** The whole server in one process, listening. */
export interface Standalone extends AsyncDisposable {
  readonly url: string;
  readonly gateway: Gateway;
  readonly errorDetail: ErrorDetail;
  /** The steps in which the process ends. */
  readonly shutdownSteps: ShutdownSteps;
}

export async function createStandalone(options: StandaloneOptions): Promise<Standalone> {
  const { config, agentLoader, builder, logger, clock = systemClock, ids = new UuidV7Generator() } = options;
  assertMayListen(config, config.HOST);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => agentLoader.close());
  const parts = { config, clock, logger, ids, stack };
  const core = await openCore({
    ...parts,
    agentLoader,
    openStores: (watch) => openStores(parts, watch),
    openKeyStore: () => openKeyStore(parts),
    openTransport: (context) => openRunTransport({ ...parts, ...context }),
    isOnlyProcess: config.SESSION_STORE !== "firestore" && config.SESSION_STORE !== "postgres",
  });
  const gateway = await createGateway({ ...core.gatewayDeps, builder });
  stack.defer(() => cutOffGateway(gateway));
  const url = await listen(gateway, config.HOST, config.PORT);
  core.ready();

  const owned = stack.move();
  const shutdownSteps = core.shutdownSteps(
    () => closeGateway(gateway),
    () => owned.disposeAsync(),
  );
  return {
    url,
    gateway,
    errorDetail: core.errorDetail,
    shutdownSteps,
    [Symbol.asyncDispose]: async () => {
      await shutDown({ ...shutdownSteps, graceMs: 0, drainMs: 0 }, { sleep, logger });
    },
  };
}
