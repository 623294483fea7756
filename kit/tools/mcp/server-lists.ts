import type {
  CacheableRequestOptions,
  ElicitResult,
  Prompt,
  ReadResourceResult,
  Resource,
  Tool,
} from "@modelcontextprotocol/client";
import type { BaseTool } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { ToolResult } from "#kit/core/context/tool-result.ts";
import { McpToolDeclarationError, McpToolError } from "#kit/errors/mcp-errors.ts";
import type { Content } from "#kit/events/content.ts";
import { ToolNames } from "#kit/models/wire/wire-names.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { callServer, isInputRequired } from "./call-server.ts";
import type { LoadedList } from "./list-cache.ts";
import { LOAD_RESOURCE } from "./load-mcp-resource-tool.ts";
import type { McpConnection } from "./mcp-connection.ts";
import type { McpElicitationCallback } from "./mcp-question.ts";
import type { McpServer, RequestScope } from "./mcp-server.ts";
import { McpTool, type McpToolOptions } from "./mcp-tool.ts";
import type { ResumedCall } from "./pause.ts";
import { sampleWithAgent } from "./sample.ts";
import { toPart, toResourceResult } from "./tool-result.ts";

/** Entries of one list that are used: more tools than a model can choose from. */
const MAX_ENTRIES = 2000;

export interface ListToolsOptions extends Omit<McpToolOptions, "server" | "definition" | "name"> {
  readonly logger: Logger;
}

/**
 * The server's tools; one that does not have the protocol's form, or cannot be declared, is left out, and logged. Throws
 * `McpToolLoadingError`.
 */
export function listTools(
  server: McpServer,
  scope: RequestScope,
  { logger, ...options }: ListToolsOptions,
): Promise<readonly BaseTool[]> {
  return server.tools.read(async () => {
    const { items, ...list } = await server.list<Tool>(scope, async (connection) => {
      const { tools, ...rest } = await connection.client.listTools(undefined, readOptions(connection, scope));
      for (const { list, name, problem } of connection.takeLeftOut())
        logger.warn({ server: server.name, [list]: name, problem }, `MCP ${list} left out`);
      return bounded(tools, rest);
    });
    const tools = new Map<string, McpTool>();
    const names = new ToolNames(
      items.map(({ name }) => name),
      NAME,
    );
    for (const definition of items) {
      try {
        const tool = new McpTool({ ...options, server, definition, name: names.toWire(definition.name) });
        if (tools.has(tool.name))
          throw new McpToolDeclarationError(server.name, `two tools have the name ${tool.name}.`);
        tools.set(tool.name, tool);
      } catch (error) {
        if (!(error instanceof McpToolDeclarationError)) throw error;
        logger.warn({ server: server.name, error }, "MCP tool left out");
      }
    }
    return { ...list, items: [...tools.values()] };
  });
}

export async function listResources(server: McpServer, scope: RequestScope): Promise<readonly Resource[]> {
  return server.resources.read(() =>
    server.list(scope, async (connection) => {
      const { resources, ...rest } = await connection.client.listResources(undefined, readOptions(connection, scope));
      return bounded(resources, rest);
    }),
  );
}

export async function listPrompts(server: McpServer, scope: RequestScope): Promise<readonly Prompt[]> {
  return server.prompts.read(() =>
    server.list(scope, async (connection) => {
      const { prompts, ...rest } = await connection.client.listPrompts(undefined, readOptions(connection, scope));
      return bounded(prompts, rest);
    }),
  );
}

/** Throws `McpToolError`, also for a resource whose server asks the user for data. */
export async function readResource(server: McpServer, scope: RequestScope, uri: string): Promise<ToolResult> {
  const read = (connection: McpConnection): Promise<ReadResourceResult> =>
    connection.client.readResource({ uri }, { ...readOptions(connection, scope), allowInputRequired: true });
  return toResourceResult(await readWithoutUser({ server, scope, what: `the resource ${uri}` }, read));
}

export interface ResourceLoad {
  readonly server: McpServer;
  readonly scope: RequestScope;
  readonly context: ToolContext;
  readonly uri: string;
  readonly resumed: ResumedCall | undefined;
  readonly allowSampling: boolean;
  readonly elicitationCallback: McpElicitationCallback | undefined;
}

/** Reads a resource for the model. Undefined if the server asks the user for data: the question has been asked then. */
export async function loadResource(load: ResourceLoad): Promise<ToolResult | undefined> {
  const { server, scope, context, uri, resumed, allowSampling, elicitationCallback } = load;
  const result = await callServer<ReadResourceResult>({
    ...{ server, tool: LOAD_RESOURCE, resource: uri, context, scope, resumed },
    sample: allowSampling ? (params) => sampleWithAgent(context, params) : undefined,
    answer: elicitationCallback && (async (question) => elicitationCallback(question, context)),
    send: ({ client, requestOptions }, input, signal) =>
      client.readResource(
        { uri, ...input },
        { ...requestOptions(signal), cacheMode: "refresh", allowInputRequired: true },
      ),
  });
  return result && toResourceResult(result);
}

export async function getPrompt(
  server: McpServer,
  scope: RequestScope,
  { name, args }: { readonly name: string; readonly args: Readonly<Record<string, string>> },
): Promise<readonly Content[]> {
  const { messages } = await readWithoutUser({ server, scope, what: `the prompt ${name}` }, (connection) =>
    connection.client.getPrompt(
      { name, arguments: { ...args } },
      { ...connection.requestOptions(scope.signal), allowInputRequired: true },
    ),
  );
  return messages.map(({ role, content }) => ({ role: role === "user" ? "user" : "model", parts: [toPart(content)] }));
}

interface ReadOptions {
  readonly server: McpServer;
  readonly scope: RequestScope;
  /** In the words of an error. */
  readonly what: string;
}

/** Reads something where no call can wait for the user: a server that asks gets no answer, and reading fails. */
async function readWithoutUser<Result extends object>(
  { server, scope, what }: ReadOptions,
  work: (connection: McpConnection) => Promise<Result>,
): Promise<Result> {
  const asks = (): McpToolError => new McpToolError(server.name, `${what.slice(0, MAX_NAME)} ${ASKS_USER}`);
  return server.read(scope, async (connection) => {
    let hasAsked = false;
    const refuse = (): ElicitResult => {
      hasAsked = true;
      return { action: "cancel" };
    };
    const result = await connection.during({ elicit: refuse, sample: () => Promise.reject(asks()) }, () =>
      work(connection).catch((error: unknown) => {
        throw hasAsked ? asks() : error;
      }),
    );
    if (hasAsked || isInputRequired(result)) throw asks();
    return result;
  });
}

const ASKS_USER = "needs data of the user. Only a call of a tool can wait for it: load_mcp_resource for a resource.";
const MAX_NAME = 200;
/** What a model's provider does not take of these is changed in requests alone. */
const NAME = /^[A-Za-z_][\w-]{0,127}$/;

/** The list is read from the server: the kit keeps lists for all connections itself. */
function readOptions(connection: McpConnection, { signal }: RequestScope): CacheableRequestOptions {
  return { ...connection.requestOptions(signal), cacheMode: "refresh" };
}

function bounded<Item>(items: readonly Item[], rest: Readonly<Record<string, unknown>>): LoadedList<Item> {
  const ttlMs = rest["ttlMs"];
  return { items: items.slice(0, MAX_ENTRIES), ttlMs: typeof ttlMs === "number" ? ttlMs : undefined };
}
