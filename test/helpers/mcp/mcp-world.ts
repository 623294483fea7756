import type { Gateway } from "#services/gateway/add-routes.ts";

const VERSION = "2026-07-28";
const NAMES: Readonly<Record<string, string>> = { "tools/call": "name" };

export interface McpAnswer {
  readonly status: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface McpCallOptions {
  readonly capabilities?: object;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly meta?: object;
}

/** Everything that a client may declare. */
export const FULL_CLIENT = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };

/** Sends one request of the stateless revision to the gateway, with the headers that belong to it. */
export async function callMcp(
  gateway: Pick<Gateway, "inject">,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { capabilities = { elicitation: {} }, headers = {}, meta = {} }: McpCallOptions = {},
): Promise<McpAnswer> {
  const name = method.startsWith("tasks/") ? params["taskId"] : params[NAMES[method] ?? ""];
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...meta,
  };
  const own: Record<string, string> = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": VERSION,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
  };
  for (const [header, value] of Object.entries(headers)) {
    if (value === undefined) delete own[header];
    else own[header] = value;
  }
  const payload = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
  const response = await gateway.inject({ method: "POST", url: "/mcp", headers: own, payload });
  return { ...response.json<object>(), status: response.statusCode };
}
