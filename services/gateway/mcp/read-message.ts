import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { LEGACY_VERSIONS, McpError, META, MODERN_VERSION, TASKS_EXTENSION } from "./protocol.ts";

/** One request or notification of a client. */
export interface McpMessage {
  /** Absent for a notification, which gets no answer. */
  readonly id: string | number | undefined;
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: JsonObject;
  /** Whether the request is of the stateless revision. */
  readonly isModern: boolean;
  /** What the client can do; nothing is known of clients of older revisions. */
  readonly canElicit: boolean;
  readonly hasTasks: boolean;
}

/** The member of `params` that the header `Mcp-Name` repeats. */
const NAMES: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** A text, or a number that its answer can repeat: JSON texts such as `1e999` are parsed as infinite ones. */
export function isId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isFinite(value);
}

/** Throws an `McpError` for a body that is not a message, and for headers that say something else than the body. */
export function readMessage(body: unknown, headers: IncomingHttpHeaders): McpMessage {
  if (!isJsonObject(body) || body["jsonrpc"] !== "2.0" || typeof body["method"] !== "string")
    throw new McpError("INVALID_REQUEST", "The body should be one JSON-RPC 2.0 request or notification.");
  const { id, method, params = {} } = body;
  if (!isId(id) && id !== undefined) throw new McpError("INVALID_REQUEST", "`id` should be a text or a number.");
  if (!isJsonObject(params)) throw new McpError("INVALID_REQUEST", "`params` should be an object.");
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
  const header = headers["mcp-protocol-version"];
  const isModern = meta[META.version] !== undefined || header === MODERN_VERSION;
  const message = { id, method, params, meta, isModern };
  if (!isModern) {
    if (header !== undefined && !LEGACY_VERSIONS.includes(String(header)))
      throw unsupported(String(header), [MODERN_VERSION, ...LEGACY_VERSIONS]);
    return { ...message, canElicit: false, hasTasks: false };
  }
  if (id !== undefined) checkEnvelope(message, headers);
  const capabilities = meta[META.capabilities];
  const { elicitation, extensions } = isJsonObject(capabilities) ? capabilities : {};
  return {
    ...message,
    canElicit: isJsonObject(elicitation),
    hasTasks: isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION]),
  };
}

function checkEnvelope(
  { method, params, meta }: Pick<McpMessage, "method" | "params" | "meta">,
  headers: IncomingHttpHeaders,
): void {
  const version = meta[META.version];
  if (typeof version !== "string")
    throw new McpError("INVALID_ENVELOPE", `\`_meta\` should have "${META.version}", a text.`);
  if (!isJsonObject(meta[META.capabilities]))
    throw new McpError("INVALID_ENVELOPE", `\`_meta\` should have "${META.capabilities}", an object.`);
  checkHeader(headers, "MCP-Protocol-Version", version);
  // Requests with their own version cannot be of older revisions: the list is that of `server/discover`.
  if (version !== MODERN_VERSION) throw unsupported(version, [MODERN_VERSION]);
  checkHeader(headers, "Mcp-Method", method);
  const member = Object.hasOwn(NAMES, method) ? NAMES[method] : undefined;
  const name = member === undefined ? undefined : params[member];
  if (typeof name === "string") checkHeader(headers, "Mcp-Name", name);
}

function checkHeader(headers: IncomingHttpHeaders, name: string, expected: string): void {
  const value = headers[name.toLowerCase()];
  if (typeof value === "string" && decodeHeader(value) === expected) return;
  const problem = value === undefined ? "is missing" : "does not equal the value in the body";
  throw new McpError("HEADER_MISMATCH", `The header ${name} ${problem}.`);
}

/** Values that a header cannot have are in base64: `=?base64?…?=`. */
function decodeHeader(value: string): string {
  const text = value.trim();
  if (!text.startsWith("=?base64?") || !text.endsWith("?=")) return text;
  return Buffer.from(text.slice("=?base64?".length, -"?=".length), "base64").toString("utf8");
}

function unsupported(requested: string, supported: readonly string[]): McpError {
  return new McpError("UNSUPPORTED_VERSION", "This version of the protocol is not supported.", {
    supported,
    requested: requested.slice(0, 100),
  });
}
