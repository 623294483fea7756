import { McpToolset } from "./mcp-toolset.ts";

/** Another name of `McpToolset`, whose methods are all asynchronous. */
export const McpAsyncToolset = McpToolset;
export type McpAsyncToolset = McpToolset;
