import type { BaseTool, RequireConfirmation } from "#kit/core/base-tool.ts";
import { BaseToolset, type ToolsetOptions } from "#kit/core/base-toolset.ts";
import type { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { ToolResult } from "#kit/core/context/tool-result.ts";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { AuthScheme } from "#kit/credentials/auth-scheme.ts";
import { McpSessionInitializationError } from "#kit/errors/mcp-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import {
  checkConnectionParams,
  connectionKey,
  isHeader,
  type McpConnectionParams,
  type McpHeaders,
  serverName,
  timeLimits,
} from "./connection-params.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { LOAD_RESOURCE, LoadMcpResourceTool } from "./load-mcp-resource-tool.ts";
import type { McpElicitationCallback } from "./mcp-question.ts";
import { McpServer, type RequestScope } from "./mcp-server.ts";
import { isRefused, SIGN_IN_FIRST } from "./open-connection.ts";
import { readPause } from "./pause.ts";
import { secretsOf } from "./secrets-of.ts";
import { getPrompt, listPrompts, listResources, listTools, loadResource, readResource } from "./server-lists.ts";
import { schemeAccess } from "./sign-in/scheme-access.ts";
import { hasAnswer, type Identity, openAccess, type ServerAccess, type ServerTable } from "./sign-in/server-access.ts";
import { SignInAccess } from "./sign-in/sign-in-access.ts";
import type { McpSignInOptions } from "./sign-in/sign-in-options.ts";
import { SignInTool } from "./sign-in/sign-in-tool.ts";
import type { Fetch } from "./transport/server-fetch.ts";

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
   * The credentials of the run's user: an `OAuthClientProvider` of `@modelcontextprotocol/client`, which keeps the
   * tokens and gets the address at which the user signs in. The function is called once for each user. Connections with
   * these credentials serve only that user.
   */
  readonly authProvider?: (context: ReadonlyContext) => object;
  /**
   * How each user signs in at the server when it asks for it: the run waits for the user, and the call is made again.
   * Until then, a server that lists its tools only to signed-in users is represented by one tool, which asks the user
   * to sign in.
   */
  readonly signIn?: McpSignInOptions;
  /** How the server authenticates calls, if it does not describe this itself. An API key has to be sent in a header. */
  readonly authScheme?: AuthScheme;
  /** The author's key or token, the client with which users sign in, or a service account. */
  readonly authCredential?: AuthCredential;
  /** The name under which the user's credential for `authScheme` is kept. */
  readonly credentialKey?: string;
  /** Whether the user has to confirm each call, or which calls. */
  readonly requireConfirmation?: boolean | RequireConfirmation;
  /** Adds the tool `load_mcp_resource`, and the names of the server's resources to the instructions. */
  readonly useMcpResources?: boolean;
  /** Answers the server's questions in place of the user, for programs without one. */
  readonly elicitationCallback?: McpElicitationCallback;
  /** Lets the server use the agent's model while it handles a call. Default: false. */
  readonly allowSampling?: boolean;
  /** How long lists are cached if the server names no time, in milliseconds; 60,000 by default. */
  readonly listTtlMs?: number;
  /**
   * The most connections to the server with the same headers; further calls wait. 8 by default, and 4 processes for
   * stdio.
   */
  readonly maxConnections?: number;
  /** An unused connection is closed after this time in milliseconds; 900,000 by default. */
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
  /** The server as each identity sees it, by the key of its connections. */
  readonly #servers = new Map<string, McpServer>();
  readonly #resourceTool: LoadMcpResourceTool | undefined;
  readonly #access: ServerAccess;
  readonly #signInTool: SignInTool;

  /** Throws `INVALID_FIELD`. */
  constructor(options: McpToolsetOptions) {
    super(options);
    const { connectionParams: params, idleTimeoutMs = IDLE_MS, useMcpResources = false } = options;
    checkConnectionParams(params);
    checkAuth(options);
    const { maxConnections = DEFAULT_CONNECTIONS[params.kind] } = options;
    for (const [field, value] of Object.entries({ maxConnections, idleTimeoutMs, listTtlMs: options.listTtlMs ?? 0 })) {
      if (!Number.isSafeInteger(value) || value < (field === "listTtlMs" ? 0 : 1))
        throw new PlatformError("INVALID_FIELD", `${field} must be a whole number above 0.`, { details: { field } });
    }
    this.#options = options;
    this.#pool = new ConnectionPool({ maxConnections, idleTimeoutMs, maxTotal: MAX_TOTAL_CONNECTIONS });
    this.#access = this.#accessBy(options);
    this.#signInTool = new SignInTool({
      serverName: serverName(params),
      access: this.#access,
      list: (server, context) => this.#list(server, context),
    });
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
    if (!this.#asksUsers) return this.#tools(await this.#server(context), context);
    let server: McpServer | undefined;
    for (let isLast = false; ; isLast = true) {
      try {
        server = await this.#access.serverFor(context);
        if (server === undefined) break;
        const tools = await this.#tools(server, context);
        // The tool that asked for the sign-in is called again, so it is still listed after the user has signed in.
        return hasAnswer(context) ? [...tools, this.#signInTool] : tools;
      } catch (error) {
        // The call that asked for the sign-in reports how it ended.
        const isSignIn = error instanceof PlatformError && error.reason.startsWith("CREDENTIAL_");
        if (!isRefused(error) && !isSignIn) throw error;
        if (isSignIn) break;
        if (!isLast && (await this.#access.replaceRefused(context))) continue;
        this.#access.listRefused(context);
        break;
      }
    }
    // Tools that were listed earlier ask for the sign-in when they are called.
    return [...(server?.tools.last ?? []), this.#signInTool];
  }

  async #tools(server: McpServer, context: ReadonlyContext): Promise<readonly BaseTool[]> {
    const tools = await this.#list(server, context);
    return this.#resourceTool === undefined ? tools : [...tools, this.#resourceTool];
  }

  #list(server: McpServer, context: ReadonlyContext): Promise<readonly BaseTool[]> {
    const { requireConfirmation = false, allowSampling = false, elicitationCallback } = this.#options;
    return listTools(server, this.#scope(context), {
      ...{ requireConfirmation, allowSampling, elicitationCallback, access: this.#access },
      logger: context.invocationContext.services.logger,
      scopeOf: (toolContext) => this.#scope(toolContext),
    });
  }

  get #asksUsers(): boolean {
    return this.#options.signIn !== undefined || this.#options.authScheme !== undefined;
  }

  #accessBy(options: McpToolsetOptions): ServerAccess {
    const { connectionParams: params, signIn, authScheme, authCredential, credentialKey, authProvider } = options;
    const serverOf: ServerTable = (context, identity) => this.#serverOf(context, identity);
    if (signIn !== undefined)
      return new SignInAccess(serverOf, { signIn, params, fetchOf: (context) => this.#scope(context).fetch });
    if (authScheme === undefined) return openAccess(serverOf, authProvider);
    return schemeAccess(serverOf, {
      authScheme,
      rawAuthCredential: authCredential,
      credentialKey,
    });
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

  /** Throws `McpSessionInitializationError` if the user has to be asked first: only calls of tools can ask. */
  async #server(context: ReadonlyContext): Promise<McpServer> {
    const server = await this.#access.serverFor(context);
    if (server !== undefined) return server;
    throw new McpSessionInitializationError(serverName(this.#options.connectionParams), SIGN_IN_FIRST);
  }

  async #serverOf(context: ReadonlyContext, identity: Identity): Promise<McpServer> {
    const { connectionParams: params, headerProvider, allowSampling = false, listTtlMs = MINUTE } = this.#options;
    const own = params.kind === "stdio" ? {} : (params.headers ?? {});
    const provided = headerProvider === undefined ? {} : checked(await headerProvider(context));
    const headers = joined(own, provided, identity.headers);
    const key = connectionKey(params, headers, identity.owner);
    const known = this.#servers.get(key);
    // The order of the table is that of the last use.
    this.#servers.delete(key);
    const { clock, logger } = context.invocationContext.services;
    const server =
      known ??
      new McpServer({
        ...{
          params,
          key,
          headers,
          secrets: secretsOf(params, { ...own, ...provided }, identity.headers),
          pool: this.#pool,
          allowSampling,
          listTtlMs,
          clock,
          logger,
        },
        authProvider: identity.authProvider?.(),
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
 * A `fetch` that uses the run's `outbound`, because definitions and sign-in servers can name any address. A server may
 * answer a call without a stream, so the time limit of an answer is that of a request.
 */
function guardedFetch({ invocationContext }: ReadonlyContext | ToolContext, timeoutMs: number): Fetch {
  const { outbound } = invocationContext;
  if (outbound === undefined) return (input, init) => fetch(input, init);
  return (input, init) => outbound.fetch(input, { ...init, acceptsEventStream: true, timeoutMs });
}

function checkAuth({ connectionParams, signIn, authScheme, authProvider }: McpToolsetOptions): void {
  const refuse = (field: string, problem: string): never => {
    throw new PlatformError("INVALID_FIELD", `${field} ${problem}`, { details: { field } });
  };
  const given = Object.entries({ signIn, authScheme, authProvider }).filter(([, value]) => value !== undefined);
  const [field = ""] = given[0] ?? [];
  if (given.length > 1) refuse(field, `and ${given[1]?.[0]} exclude each other: give one.`);
  if (given.length > 0 && connectionParams.kind === "stdio") refuse(field, "is for servers on HTTP.");
  if (authScheme?.type === "apiKey" && authScheme.in !== "header")
    refuse("authScheme.in", 'must be "header": servers of the protocol take keys in no other place.');
  if (signIn !== undefined && URL.parse(signIn.redirectUri) === null)
    refuse("signIn.redirectUri", "must be an address.");
}

/** Later headers replace earlier ones, whatever the case of their names: otherwise both would be sent. */
function joined(...lists: readonly (McpHeaders | undefined)[]): McpHeaders {
  return Object.fromEntries(
    lists.flatMap((headers = {}) => Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  );
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
