import { PlatformError } from "./platform-error.ts";
import type { ErrorReason } from "./reasons.ts";

/** A problem with a server of the Model Context Protocol, or with one of its tools. The message names the server. */
export class McpToolError extends PlatformError {
  readonly server: string;

  constructor(server: string, problem: string, cause?: unknown, reason: ErrorReason = "MCP_TOOL_FAILED") {
    super(reason, `MCP server ${server}: ${problem}`, { details: { server }, cause });
    this.server = server;
  }
}

/** A tool of the server cannot be declared to a model. */
export class McpToolDeclarationError extends McpToolError {
  constructor(server: string, problem: string, cause?: unknown) {
    super(server, problem, cause, "MCP_TOOL_DECLARATION");
  }
}

/** No connection to the server could be opened: its process, its address, its credentials or its protocol. */
export class McpSessionInitializationError extends McpToolError {
  constructor(server: string, problem: string, cause?: unknown) {
    super(server, problem, cause, "MCP_SESSION_INITIALIZATION");
  }
}

/** The server's tools could not be listed. */
export class McpToolLoadingError extends McpToolError {
  constructor(server: string, problem: string, cause?: unknown) {
    super(server, problem, cause, "MCP_TOOL_LOADING");
  }
}
