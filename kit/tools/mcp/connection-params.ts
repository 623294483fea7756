import { createHash } from "node:crypto";
import { basename } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { canonicalJson } from "#kit/platform/json.ts";

/** Headers of requests to a server, with credentials perhaps: they are never stored or logged. */
export type McpHeaders = Readonly<Record<string, string>>;

/** A server as a child process, which speaks on its standard input and output. */
export interface StdioConnectionParams {
  readonly kind: "stdio";
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the few variables that a child gets by default, such as PATH and HOME; it does not get all of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The time limit of the start, in milliseconds; 5,000 by default. */
  readonly timeoutMs?: number;
  /** The time limit of each request, in milliseconds; 300,000 by default. */
  readonly readTimeoutMs?: number;
}

/** A server of the earlier HTTP transport, with server-sent events. */
export interface SseConnectionParams {
  readonly kind: "sse";
  readonly url: string;
  readonly headers?: McpHeaders;
  /** The time limit of connecting, in milliseconds; 5,000 by default. */
  readonly timeoutMs?: number;
  /** The time limit of each request, in milliseconds; 300,000 by default. */
  readonly readTimeoutMs?: number;
}

/** A server on HTTP. */
export interface StreamableHttpConnectionParams {
  readonly kind: "streamable-http";
  readonly url: string;
  readonly headers?: McpHeaders;
  /** The time limit of connecting, in milliseconds; 30,000 by default. */
  readonly timeoutMs?: number;
  /** The time limit of each request, in milliseconds; 300,000 by default. */
  readonly readTimeoutMs?: number;
  /** False leaves the server's session open when the connection is closed. Default: true. */
  readonly terminateOnClose?: boolean;
}

/** How to connect to a server. */
export type McpConnectionParams = StdioConnectionParams | SseConnectionParams | StreamableHttpConnectionParams;

const FIVE_MINUTES = 300_000;
const DEFAULT_CONNECT_MS = { stdio: 5000, sse: 5000, "streamable-http": 30_000 };

/** Milliseconds for the connection and for one request. */
export function timeLimits(params: McpConnectionParams): { readonly connectMs: number; readonly requestMs: number } {
  const connectMs = params.timeoutMs ?? DEFAULT_CONNECT_MS[params.kind];
  return { connectMs, requestMs: params.readTimeoutMs ?? FIVE_MINUTES };
}

/** The server's name in errors, logs and questions: its command or its address without credentials and query. */
export function serverName(params: McpConnectionParams): string {
  if (params.kind === "stdio") return basename(params.command);
  const { origin, pathname } = new URL(params.url);
  return origin + pathname;
}

/**
 * Equal only for connections that may serve each other's calls: the same server, environment, headers and owner of the
 * credentials. A hash, because
 * it is the key of tables and headers are secrets.
 */
export function connectionKey(params: McpConnectionParams, headers: McpHeaders, owner: readonly string[] = []): string {
  const merged = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return createHash("sha256")
    .update(canonicalJson([params, merged.sort(), owner] as never))
    .digest("base64url");
}

/** Throws `INVALID_FIELD` for parameters with which no connection can be opened. */
export function checkConnectionParams(params: McpConnectionParams): void {
  const refuse = (field: string, problem: string): never => {
    throw new PlatformError("INVALID_FIELD", `connectionParams.${field} ${problem}`, { details: { field } });
  };
  const kind: string = params.kind;
  if (!Object.hasOwn(DEFAULT_CONNECT_MS, kind)) refuse("kind", 'must be "stdio", "sse" or "streamable-http".');
  for (const name of ["timeoutMs", "readTimeoutMs"] as const) {
    const value: unknown = params[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && Number(value) > 0))
      refuse(name, "must be a whole number of milliseconds above 0.");
  }
  if (params.kind === "stdio") {
    if (typeof params.command !== "string" || params.command.trim() === "")
      refuse("command", "must be the program to run.");
    return;
  }
  const url = URL.parse(params.url);
  if (url === null || !/^https?:$/.test(url.protocol)) refuse("url", "must be an address with http:// or https://.");
  for (const [name, value] of Object.entries(params.headers ?? {})) {
    if (!isHeader(name, value)) refuse(`headers.${name}`, "must be a text that can be a header.");
  }
}

/** Whether the pair can be sent; the value is not quoted in errors, as it may be a secret. */
export function isHeader(name: string, value: unknown): boolean {
  try {
    new Headers([[name, String(value)]]);
    return typeof value === "string";
  } catch {
    // The constructor checks names and values by the rules of HTTP.
    return false;
  }
}
