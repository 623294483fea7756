import type { CacheableRequestOptions, Prompt, Resource, Tool } from "@modelcontextprotocol/client";
import type { BaseTool } from "#kit/core/base-tool.ts";
import type { ToolResult } from "#kit/core/context/tool-result.ts";
import { McpToolDeclarationError } from "#kit/errors/mcp-errors.ts";
import type { Content } from "#kit/events/content.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { LoadedList } from "./list-cache.ts";
import type { McpConnection } from "./mcp-connection.ts";
import type { McpServer, RequestScope } from "./mcp-server.ts";
import { McpTool, type McpToolOptions } from "./mcp-tool.ts";
import { toPart, toResourceResult } from "./tool-result.ts";

/** Entries of one list that are used: more tools than a model can choose from. */
const MAX_ENTRIES = 2000;

export interface ListToolsOptions extends Omit<McpToolOptions, "server" | "definition"> {
  readonly logger: Logger;
}

/** The server's tools; one that cannot be declared is left out, and logged. Throws `McpToolLoadingError`. */
export function listTools(
  server: McpServer,
  scope: RequestScope,
  { logger, ...options }: ListToolsOptions,
): Promise<readonly BaseTool[]> {
  return server.tools.read(async () => {
    const { items, ...list } = await server.list<Tool>(scope, async (connection) => {
      const { tools, ...rest } = await connection.client.listTools(undefined, readOptions(connection, scope));
      return bounded(tools, rest);
    });
    const tools = new Map<string, McpTool>();
    for (const definition of items) {
      try {
        const tool = new McpTool({ ...options, server, definition });
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

export async function readResource(server: McpServer, scope: RequestScope, uri: string): Promise<ToolResult> {
  return toResourceResult(
    await server.read(scope, (connection) => connection.client.readResource({ uri }, readOptions(connection, scope))),
  );
}

export async function getPrompt(
  server: McpServer,
  scope: RequestScope,
  { name, args }: { readonly name: string; readonly args: Readonly<Record<string, string>> },
): Promise<readonly Content[]> {
  const { messages } = await server.read(scope, (connection) =>
    connection.client.getPrompt({ name, arguments: { ...args } }, connection.requestOptions(scope.signal)),
  );
  return messages.map(({ role, content }) => ({ role: role === "user" ? "user" : "model", parts: [toPart(content)] }));
}

/** The list is read from the server: the kit keeps lists for all connections itself. */
function readOptions(connection: McpConnection, { signal }: RequestScope): CacheableRequestOptions {
  return { ...connection.requestOptions(signal), cacheMode: "refresh" };
}

function bounded<Item>(items: readonly Item[], rest: Readonly<Record<string, unknown>>): LoadedList<Item> {
  const ttlMs = rest["ttlMs"];
  return { items: items.slice(0, MAX_ENTRIES), ttlMs: typeof ttlMs === "number" ? ttlMs : undefined };
}
