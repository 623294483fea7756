import type { McpConnectionParams } from "#kit/tools/mcp/connection-params.ts";

/** A server as a process, whose tools return its id, answer nothing from then on (`get_stuck`), or never (`be_slow`). */
const PROGRAM = `
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, ...result }));
const tool = (name) => ({ name, inputSchema: { type: "object" } });
let stuck = false;
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || stuck) return;
  if (method === "initialize") {
    const serverInfo = { name: "stuck", version: "1" };
    return send(id, { result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
  }
  if (method === "ping") return send(id, { result: {} });
  if (method === "tools/list") return send(id, { result: { tools: ["get_id", "get_stuck", "be_slow"].map(tool) } });
  if (method !== "tools/call") return send(id, { error: { code: -32601, message: "Method not found" } });
  if (params.name === "get_id") return send(id, { result: { content: [{ type: "text", text: String(process.pid) }] } });
  stuck = params.name === "get_stuck";
});`;

export const STUCK_SERVER: McpConnectionParams = {
  ...{ kind: "stdio", command: process.execPath, args: ["-e", PROGRAM], timeoutMs: 20_000, readTimeoutMs: 300 },
};
