import type { JsonObject } from "#kit/platform/json.ts";
import { Version } from "#kit/version.ts";

/** The stateless revision: each request states its version and the capabilities of its client. */
export const MODERN_VERSION = "2026-07-28";
/** Revisions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Keys of `_meta`. */
export const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  server: "io.modelcontextprotocol/serverInfo",
} as const;

export const SERVER_INFO = { name: "fairlead", version: Version.FAIRLEAD_VERSION };

const CODES = {
  INVALID_REQUEST: { code: -32600, http: 400 },
  METHOD_NOT_FOUND: { code: -32601, http: 404 },
  INVALID_ENVELOPE: { code: -32602, http: 400 },
  /** Errors of a request whose form is valid: JSON-RPC errors with HTTP status 200. */
  INVALID_PARAMS: { code: -32602, http: 200 },
  HEADER_MISMATCH: { code: -32020, http: 400 },
  MISSING_CAPABILITY: { code: -32021, http: 400 },
  UNSUPPORTED_VERSION: { code: -32022, http: 400 },
} as const;

/** An answer with an error of JSON-RPC. */
export class McpError extends Error {
  readonly code: number;
  readonly httpStatus: number;
  readonly data: JsonObject | undefined;

  constructor(kind: keyof typeof CODES, message: string, data?: JsonObject) {
    super(message);
    this.code = CODES[kind].code;
    this.httpStatus = CODES[kind].http;
    this.data = data;
  }
}
