import type { ListChangedHandlers, PriorDiscovery, Prompt, Resource } from "@modelcontextprotocol/client";
import type { BaseTool } from "#kit/core/base-tool.ts";
import type { CallSecrets } from "#kit/errors/call-secrets.ts";
import { McpSessionInitializationError, McpToolError, McpToolLoadingError } from "#kit/errors/mcp-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { type McpConnectionParams, type McpHeaders, serverName } from "./connection-params.ts";
import { type ConnectionPool, PoolFullError } from "./connection-pool.ts";
import { ListCache, type LoadedList } from "./list-cache.ts";
import type { McpConnection } from "./mcp-connection.ts";
import { finishSignIn, isRefused, isUnauthorized, openConnection, SIGN_IN_FIRST } from "./open-connection.ts";
import { connectionStateAfter, isLostSocket } from "./transport/connection-state.ts";
import { problemOf } from "./transport/problem-of.ts";
import type { Fetch } from "./transport/server-fetch.ts";

export interface ServerOptions {
  readonly params: McpConnectionParams;
  /** Equal for connections that may serve each other's requests. */
  readonly key: string;
  /** All headers, those of the parameters among them. */
  readonly headers: McpHeaders;
  /** Secrets, which are redacted in all texts of the server. */
  readonly secrets: CallSecrets;
  readonly pool: ConnectionPool;
  readonly allowSampling: boolean;
  readonly authProvider?: object | undefined;
  readonly listTtlMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The `fetch` of one request to a server, and the signal that ends the request. */
export interface RequestScope {
  readonly signal: AbortSignal;
  readonly fetch: Fetch;
}

/** How long the detected protocol of a server is reused, because servers are updated. */
const VERDICT_TTL_MS = 3_600_000;
const READ_ATTEMPTS = 3;

/** A server as one identity sees it: its lists, and requests over pooled connections. */
export class McpServer {
  readonly name: string;
  readonly key: string;
  readonly tools: ListCache<BaseTool>;
  readonly resources: ListCache<Resource>;
  readonly prompts: ListCache<Prompt>;
  readonly #options: ServerOptions;
  #verdict: { readonly prior: PriorDiscovery; readonly until: number } | undefined;

  constructor(options: ServerOptions) {
    const { params, key, clock, listTtlMs } = options;
    this.#options = options;
    this.name = serverName(params);
    this.key = key;
    this.tools = new ListCache(clock, listTtlMs);
    this.resources = new ListCache(clock, listTtlMs);
    this.prompts = new ListCache(clock, listTtlMs);
  }

  /**
   * Runs the work with a connection, and once more with a new one if the server does not know the first one's session:
   * the request had no effect then. Throws `McpSessionInitializationError`, and what the work throws.
   */
  async request<Result>(scope: RequestScope, work: (connection: McpConnection) => Promise<Result>): Promise<Result> {
    let isLost = false;
    const settled = async (connection: McpConnection): Promise<Result> => {
      isLost = false;
      try {
        return await work(connection);
      } catch (error) {
        if (scope.signal.aborted) throw error;
        const state = connectionStateAfter(error);
        isLost = state === "lost";
        await connection.settle(state);
        throw error;
      }
    };
    try {
      return await this.#use(scope, settled);
    } catch (error) {
      if (!isLost || scope.signal.aborted) throw error;
      this.#forget();
      return this.#use(scope, settled);
    }
  }

  /** Another server process may have other sessions, lists and protocols. */
  #forget(): void {
    this.#verdict = undefined;
    this.#options.pool.closeUnused(this.key);
    for (const list of [this.tools, this.resources, this.prompts]) list.forget();
  }

  async #use<Result>(scope: RequestScope, work: (connection: McpConnection) => Promise<Result>): Promise<Result> {
    const { signal } = scope;
    try {
      return await this.#options.pool.use(this.key, { open: () => this.#open(scope), signal }, work);
    } catch (error) {
      if (error instanceof PoolFullError) throw new McpSessionInitializationError(this.name, error.message, error);
      throw error;
    }
  }

  /** Reads something of the server, with a new connection if one was lost. Throws `McpToolError`. */
  async read<Result>(scope: RequestScope, work: (connection: McpConnection) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.request(scope, work);
      } catch (error) {
        // Another attempt would send the user to another sign-in.
        const isFinal = error instanceof PlatformError || isRefused(error) || attempt >= READ_ATTEMPTS;
        if (scope.signal.aborted || isFinal) throw this.failure(error);
        this.#verdict = undefined;
      }
    }
  }

  /** As `read`, for a list. Throws `McpToolLoadingError`. */
  async list<Item>(
    scope: RequestScope,
    work: (connection: McpConnection) => Promise<LoadedList<Item>>,
  ): Promise<LoadedList<Item>> {
    try {
      return await this.read(scope, work);
    } catch (error) {
      if (scope.signal.aborted || error instanceof McpSessionInitializationError) throw error;
      throw new McpToolLoadingError(
        this.name,
        `its list could not be read: ${problemOf(rootOf(error), "readTimeoutMs")}`,
        error,
      );
    }
  }

  /** The error as the kit's own; one that is the kit's already is passed on. */
  failure(thrown: unknown): unknown {
    if (thrown instanceof PlatformError) return thrown;
    const error = this.#options.secrets.redactError(thrown);
    if (isUnauthorized(error)) return new McpSessionInitializationError(this.name, SIGN_IN_FIRST, error);
    return new McpToolError(this.name, problemOf(error, "readTimeoutMs"), error);
  }

  /** Completes a sign-in of the identity. Throws `McpSessionInitializationError`. */
  async finishSignIn(callback: URLSearchParams, fetch: Fetch, provider?: object): Promise<void> {
    const { params, headers, secrets, authProvider } = this.#options;
    await finishSignIn({ params, headers, secrets, authProvider: provider ?? authProvider, fetch }, callback);
  }

  async #open({ signal, fetch }: RequestScope): Promise<McpConnection> {
    const { params, headers, secrets, allowSampling, authProvider, clock, logger } = this.#options;
    const prior = this.#verdict !== undefined && clock.now() < this.#verdict.until ? this.#verdict.prior : undefined;
    const open = (known: PriorDiscovery | undefined): Promise<McpConnection> =>
      openConnection({
        ...{ params, headers, secrets, allowSampling, authProvider, signal, fetch, prior: known, logger },
        listChanged: this.#listChanged,
      });
    try {
      const connection = await open(prior);
      if (prior === undefined) this.#remember(connection);
      return connection;
    } catch (error) {
      this.#verdict = undefined;
      // The server may speak another protocol than when it was asked last, or have closed the socket that was kept.
      const mayDiffer = (prior !== undefined && !isRefused(error)) || isLostSocket(error);
      if (signal.aborted || !mayDiffer) throw error;
    }
    const connection = await open(undefined);
    this.#remember(connection);
    return connection;
  }

  #remember({ client, isModern }: McpConnection): void {
    const discover = client.getDiscoverResult();
    const until = this.#options.clock.now() + VERDICT_TTL_MS;
    if (!isModern) this.#verdict = { prior: { kind: "legacy" }, until };
    else if (discover !== undefined) this.#verdict = { prior: { kind: "modern", discover }, until };
  }

  readonly #listChanged: ListChangedHandlers = {
    tools: { autoRefresh: false, debounceMs: 0, onChanged: () => this.tools.forget() },
    resources: { autoRefresh: false, debounceMs: 0, onChanged: () => this.resources.forget() },
    prompts: { autoRefresh: false, debounceMs: 0, onChanged: () => this.prompts.forget() },
  };
}

function rootOf(error: unknown): unknown {
  return error instanceof McpToolError && error.cause !== undefined ? error.cause : error;
}
