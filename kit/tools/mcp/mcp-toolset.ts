import type { BaseTool, RequireConfirmation } from "#kit/core/base-tool.ts";
import { BaseToolset, type ToolsetOptions } from "#kit/core/base-toolset.ts";
import type { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { ToolResult } from "#kit/core/context/tool-result.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import type { Fetch } from "./bounded-fetch.ts";
import {
  checkConnectionParams,
  connectionKey,
  isHeader,
  type McpConnectionParams,
  type McpHeaders,
  timeLimits,
} from "./connection-params.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { LOAD_RESOURCE, LoadMcpResourceTool } from "./load-mcp-resource-tool.ts";
import type { McpElicitationCallback } from "./mcp-question.ts";
import { McpServer, type RequestScope } from "./mcp-server.ts";
import { readPause } from "./pause.ts";
import { getPrompt, listPrompts, listResources, listTools, loadResource, readResource } from "./server-lists.ts";

/** A resource of a server. */
export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

/** A prompt of a server, and the arguments that it takes. */
export interface McpPrompt {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments?: readonly McpPromptArgument[] | undefined;
}

interface McpPromptArgument {
  readonly name: string;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
}

/** Headers for the requests of one run, such as the user's own token. */
export type McpHeaderProvider = (context: ReadonlyContext) => McpHeaders | Promise<McpHeaders>;

/** Options of an `McpToolset`. */
export interface McpToolsetOptions extends ToolsetOptions {
  readonly connectionParams: McpConnectionParams;
  /** Added to the headers of the parameters. Connections are only shared by runs with equal headers. */
  readonly headerProvider?: McpHeaderProvider;
  /**
   * The credentials of the run's user: an `OAuthClientProvider` of `@modelcontextprotocol/client`, which keeps the tokens
   * and gets the address at which the user signs in. It is asked for once for each user, whose connections serve no
   * other user.
   */
  readonly authProvider?: (context: ReadonlyContext) => object;
  /** Whether the user has to confirm each call, or which calls. */
  readonly requireConfirmation?: boolean | RequireConfirmation;
  /** Adds the tool `load_mcp_resource`, and the names of the server's resources to the instructions. */
  readonly useMcpResources?: boolean;
  /** Answers the server's questions in place of the user, for programs without one. */
  readonly elicitationCallback?: McpElicitationCallback;
  /** Lets the server use the agent's model while it handles a call. Default: false. */
  readonly allowSampling?: boolean;
  /** For how long lists are kept if the server does not say it. Default: 60,000. */
  readonly listTtlMs?: number;
  /** Connections to the server with the same headers; more calls wait. Default: 8, and 4 processes for stdio. */
  readonly maxConnections?: number;
  /** An unused connection is closed after this time. Default: 900,000. */
  readonly idleTimeoutMs?: number;
  /**
   * Makes the requests to a server on HTTP, and to the servers of its sign-in. Default: the run's `outbound`, which
   * refuses addresses of the server's own network that `OUTBOUND_ALLOWED_HOSTS` does not name.
   */
  readonly fetch?: Fetch;
}

const MAX_TOTAL_CONNECTIONS = 256;
const MAX_IDENTITIES = 1000;
const MINUTE = 60_000;
const IDLE_MS = 900_000;
const DEFAULT_CONNECTIONS = { stdio: 4, sse: 8, "streamable-http": 8 };

/**
 * The tools of a server of the Model Context Protocol. Connections open at the first use, are shared by all runs of the
 * runner that have equal headers, and close with it.
 */
export class McpToolset extends BaseToolset {
  readonly #options: McpToolsetOptions;
  readonly #pool: ConnectionPool;
  /** By the key of the connection: what one identity sees of the server. */
  readonly #servers = new Map<string, McpServer>();
  readonly #resourceTool: LoadMcpResourceTool | undefined;

  /** Throws `INVALID_FIELD`. */
  constructor(options: McpToolsetOptions) {
    super(options);
    const { connectionParams: params, idleTimeoutMs = IDLE_MS, useMcpResources = false } = options;
    checkConnectionParams(params);
    const { maxConnections = DEFAULT_CONNECTIONS[params.kind] } = options;
    for (const [field, value] of Object.entries({ maxConnections, idleTimeoutMs, listTtlMs: options.listTtlMs ?? 0 })) {
      if (!Number.isSafeInteger(value) || value < (field === "listTtlMs" ? 0 : 1))
        throw new PlatformError("INVALID_FIELD", `${field} must be a whole number above 0.`, { details: { field } });
    }
    this.#options = options;
    this.#pool = new ConnectionPool({ maxConnections, idleTimeoutMs, maxTotal: MAX_TOTAL_CONNECTIONS });
    if (useMcpResources)
      this.#resourceTool = new LoadMcpResourceTool({
        list: (context) => this.listResources(context),
        read: (uri, context) => this.readResource(uri, context),
        load: async (uri, context, resumed) => {
          const { allowSampling = false, elicitationCallback } = options;
          const [server, scope] = [await this.#server(context), this.#scope(context)];
          return loadResource({ server, scope, context, uri, resumed, allowSampling, elicitationCallback });
        },
        resume: async (context) =>
          readPause(context, { server: (await this.#server(context)).name, tool: LOAD_RESOURCE }),
      });
  }

  /** How many connections are open. */
  get openConnections(): number {
    return this.#pool.size;
  }

  protected override async loadTools(context: ReadonlyContext): Promise<readonly BaseTool[]> {
    const { requireConfirmation = false, allowSampling = false, elicitationCallback } = this.#options;
    const server = await this.#server(context);
    const tools = await listTools(server, this.#scope(context), {
      ...{ requireConfirmation, allowSampling, elicitationCallback, logger: context.invocationContext.services.logger },
      scopeOf: (toolContext) => this.#scope(toolContext),
    });
    return this.#resourceTool === undefined ? tools : [...tools, this.#resourceTool];
  }

  /** The server's resources. Throws `McpToolError`. */
  async listResources(context: ReadonlyContext): Promise<readonly McpResource[]> {
    return listResources(await this.#server(context), this.#scope(context));
  }

  /** The contents of a resource by its address: text in the response, data as media. Throws `McpToolError`. */
  async readResource(uri: string, context: ReadonlyContext): Promise<ToolResult> {
    return readResource(await this.#server(context), this.#scope(context), uri);
  }

  /** The server's prompts. Throws `McpToolError`. */
  async listPrompts(context: ReadonlyContext): Promise<readonly McpPrompt[]> {
    return listPrompts(await this.#server(context), this.#scope(context));
  }

  /** The messages of a prompt with these arguments. Throws `McpToolError`. */
  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    context: ReadonlyContext,
  ): Promise<readonly Content[]> {
    return getPrompt(await this.#server(context), this.#scope(context), { name, args });
  }

  /**
   * Completes the sign-in of the context's user with the parameters that the server's sign-in page has added to the
   * address to which it sent the user back. Throws `McpSessionInitializationError`.
   */
  async finishSignIn(callback: URLSearchParams, context: ReadonlyContext): Promise<void> {
    const server = await this.#server(context);
    await server.finishSignIn(callback, this.#scope(context).fetch);
  }

  /** Closes all connections, and with them the processes of servers. Never throws. */
  override async close(): Promise<void> {
    await this.#pool.close();
    this.#servers.clear();
  }

  async #server(context: ReadonlyContext): Promise<McpServer> {
    const { connectionParams: params, headerProvider, allowSampling = false, listTtlMs = MINUTE } = this.#options;
    const own = params.kind === "stdio" ? {} : (params.headers ?? {});
    const headers = { ...own, ...(headerProvider !== undefined && checked(await headerProvider(context))) };
    const { authProvider } = this.#options;
    const { appName, userId, tenantId = "" } = context.invocationContext.session;
    const key = connectionKey(params, headers, authProvider === undefined ? [] : [tenantId, appName, userId]);
    const known = this.#servers.get(key);
    // The order of the table is that of the last use.
    this.#servers.delete(key);
    const { clock } = context.invocationContext.services;
    const server =
      known ??
      new McpServer({
        ...{ params, key, headers, pool: this.#pool, allowSampling, listTtlMs, clock },
        authProvider: authProvider?.(context),
      });
    this.#servers.set(key, server);
    for (const oldest of this.#servers.keys()) {
      if (this.#servers.size <= MAX_IDENTITIES) break;
      this.#servers.delete(oldest);
    }
    return server;
  }

  #scope(context: ReadonlyContext | ToolContext): RequestScope {
    const { signal } = "signal" in context ? context : context.invocationContext;
    const { requestMs } = timeLimits(this.#options.connectionParams);
    return { signal, fetch: this.#options.fetch ?? guardedFetch(context, requestMs) };
  }
}

/**
 * The run's own way to addresses that others have named: definitions in files and sign-in servers name some. A server may
 * answer a call without a stream, so one answer has the time of a request.
 */
function guardedFetch({ invocationContext }: ReadonlyContext | ToolContext, timeoutMs: number): Fetch {
  const { outbound } = invocationContext;
  if (outbound === undefined) return (input, init) => fetch(input, init);
  return (input, init) => outbound.fetch(input, { ...init, acceptsEventStream: true, timeoutMs });
}

function checked(headers: McpHeaders): McpHeaders {
  for (const [name, value] of Object.entries(headers)) {
    // Without the value, which may be a token.
    if (!isHeader(name, value))
      throw new PlatformError("INVALID_FIELD", `headerProvider: the value of "${name}" cannot be a header.`, {
        details: { field: "headerProvider" },
      });
  }
  return headers;
}
