import type { App } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import { type GivenAgentLoader, toAgentLoader } from "#kit/definitions/loaders/given-agent-loader.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { TabularKeyStore } from "#ports/api-keys/tabular-key-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import type { RunStream } from "#ports/runs/run-stream.ts";
import type { RunTransport } from "#ports/runs/run-transport.ts";
import { settingProblems } from "#services/gateway/setting-problems.ts";
import { openAgentLoader } from "#shared/agents/open-agent-loader.ts";
import { InvalidConfigError } from "#shared/config/load-config.ts";
import { openRunTransport } from "#shared/transport/run-transport.ts";
import type { StandaloneConfig } from "./config.ts";
import { openCore } from "./core.ts";
import { EmbeddedServer, type Server } from "./embedded-server.ts";
import { givenLogger, type ServerLogger } from "./given-logger.ts";
import { keyStoreOf, mergeStores, type ServerStores, storeProblems, watchStores } from "./given-stores.ts";
import { openStores } from "./open-stores.ts";
import { readServerConfig, type ServerConfig } from "./server-config.ts";

/** The options of `createServer`. One of `agents` and `agentLoader` is needed, or a folder or module in `config`. */
export interface ServerOptions {
  /**
   * The agents: a list of agents or apps, which are served under their own names, or the path of their folder. Left out
   * if there is an `agentLoader`, or if `config` has AGENTS_DIR, SOURCE_DIR or AGENTS_MODULE.
   */
  readonly agents?: string | readonly (BaseAgent | App)[] | undefined;
  /** Another source of agents: a loader of the kit or of your own. The server closes it. */
  readonly agentLoader?: GivenAgentLoader | undefined;
  /**
   * One object of stores, or several; of two that have the same store, the later one's counts. What none of them has is
   * kept in memory. The server closes them.
   */
  readonly stores?: ServerStores | readonly ServerStores[] | undefined;
  /**
   * Whether other processes execute runs of the same stores; true unless given. With false, runs that an earlier
   * process left open continue at the start, and active ones end when the server closes.
   */
  readonly sharedStores?: boolean | undefined;
  /** Settings by their names in the environment, which itself is not read: see `serverConfigFrom`. */
  readonly config?: ServerConfig | undefined;
  /**
   * Carries the streams of runs; in memory unless given. A whole transport, as from `openRedisRunStream`, also keeps
   * traces and idempotency keys. The server closes it.
   */
  readonly runStream?: ((RunStream | RunTransport) & Owned) | undefined;
  /** Nothing is logged without one. */
  readonly logger?: ServerLogger | undefined;
}

/**
 * Creates a server of agents inside a program, which executes runs from then on, those of earlier processes first. It
 * accepts requests once the program calls its `listen`, or registers its `plugin` in a Fastify app. It changes nothing
 * outside itself: no signal handlers, no exit of the process, no output, no files beside those of the stores.
 *
 * The server owns the given stores, loader and stream from this call on, and closes them also if the call fails. Throws
 * `CONFIGURATION` with all problems of the options, and what the stores throw.
 */
export async function createServer(options: ServerOptions): Promise<Server> {
  const clock = systemClock;
  const ids = new UuidV7Generator();
  const logger = givenLogger(options.logger);
  const given = [options.stores ?? []].flat();
  await using stack = new AsyncDisposableStack();
  for (const owned of [...given, options.runStream]) stack.defer(() => disposeOf(owned));
  stack.defer(() => options.agentLoader?.close?.());
  const config = readOptions(options, given);
  const agentLoader = await openAgents(options, config, logger);
  if (options.agentLoader === undefined) stack.defer(() => agentLoader.close());

  const stores = mergeStores(given);
  const parts = { config, clock, logger, ids, stack };
  const core = await openCore({
    ...parts,
    agentLoader,
    openStores: async (watch) => watchStores({ ...(await openStores(parts)), ...stores }, watch),
    openKeyStore: async () => keyStoreOf(given) ?? new TabularKeyStore({ table: new InMemoryRowTable() }),
    openTransport: async (context) => {
      const transport = await openRunTransport({ ...parts, ...context });
      const { runStream } = options;
      if (runStream === undefined) return transport;
      const given = "runStream" in runStream ? runStream : { runStream };
      return { ...transport, ...given, inMemory: undefined };
    },
    isOnlyProcess: options.sharedStores === false || stores.runJournal === undefined,
  });
  return new EmbeddedServer({ core, config, logger, owned: stack.move() });
}

function readOptions(options: ServerOptions, stores: readonly ServerStores[]): StandaloneConfig {
  const { agents, agentLoader, config: given = {} } = options;
  const { config, problems } = readServerConfig(given);
  const sources = [agents !== undefined && "agents", agentLoader !== undefined && "agentLoader"].filter(Boolean);
  const named = [
    given.AGENTS_DIR !== undefined && "config.AGENTS_DIR",
    given.SOURCE_DIR !== undefined && "config.SOURCE_DIR",
    given.AGENTS_MODULE !== undefined && "config.AGENTS_MODULE",
  ].filter(Boolean);
  const all = [...problems, ...settingProblems(config), ...storeProblems(stores)];
  if (sources.length + named.length === 0)
    all.push("agents is missing: give a list of agents, the path of their folder, or an agentLoader.");
  if (sources.length > 1 || (sources.length > 0 && named.length > 0))
    all.push(`${[...sources, ...named].join(" and ")} are given: keep one.`);
  if (config.AGENT_EDITOR && typeof agents !== "string" && named.length === 0)
    all.push("AGENT_EDITOR is on, and needs the path of a folder as agents.");
  if (config.AUTH.join() === "api-key" && keyStoreOf(stores) === undefined)
    all.push("AUTH is api-key, and no object of stores has a keyStore: pass one, such as that of openSqliteStores.");
  if (all.length > 0) throw new InvalidConfigError(all);
  return typeof agents === "string" ? { ...config, AGENTS_DIR: agents } : config;
}

async function openAgents(options: ServerOptions, config: StandaloneConfig, logger: Logger): Promise<AgentLoader> {
  const { agents, agentLoader } = options;
  if (agentLoader !== undefined) return toAgentLoader(agentLoader);
  if (agents === undefined || typeof agents === "string") return openAgentLoader(config, logger);
  return new StaticAgentLoader(agents);
}

interface Owned {
  readonly [Symbol.asyncDispose]?: (() => PromiseLike<void>) | undefined;
  readonly [Symbol.dispose]?: (() => void) | undefined;
}

async function disposeOf(owned: Owned | undefined): Promise<void> {
  const dispose = owned?.[Symbol.asyncDispose] ?? owned?.[Symbol.dispose];
  await dispose?.call(owned);
}
