import { Type } from "#kit/schema/shape.ts";
import type { RouteDeps } from "../deps.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, JsonMap } from "../requests/wire-schemas.ts";

const MCP = described({
  operationId: "callMcp",
  answer: "of-a-run",
  access: { owner: "caller" },
  tags: ["runs"],
  summary: "Call agents as tools of the Model Context Protocol",
  description:
    "Streamable HTTP of the revisions 2026-07-28 and 2025-11-25, without sessions: one JSON-RPC message for each request. The apps of MCP_APPS are the tools; a call is a run, and a long one becomes a task (`io.modelcontextprotocol/tasks`) if the client has that extension. Calls, answers and cancellations need the scope `runs:write`, `tasks/get` needs `sessions:read`.",
  givenBody: JsonMap,
  example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  response: answers({ 200: JsonMap, 202: Type.Unknown() }),
  canBeTried: false,
});

/** Agents as tools of the Model Context Protocol; no routes unless MCP_APPS names apps. */
export function mcpRoutes(deps: RouteDeps): TypedRoutes {
  return async (app) => {
    if (deps.config.MCP_APPS.length === 0) return;
    // Loaded only by servers that have these tools.
    const { answerMessage } = await import("../mcp/answer-message.ts");
    app.post("/mcp", { schema: MCP }, (request, reply) => answerMessage(deps, request, reply));
  };
}
