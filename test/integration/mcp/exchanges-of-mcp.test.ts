import { expect, it } from "vitest";
import { Version } from "#kit/version.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const MODERN = "2026-07-28";
const OLDER = "2025-11-25";
const JSON_ALONE = "application/json";
const BOTH = "application/json, text/event-stream";
const CALL = { name: "echo", arguments: { request: "Hi" } };
const PROGRESS = { progressToken: "p" };
const CLIENT = { protocolVersion: OLDER, capabilities: {}, clientInfo: { name: "t", version: "1" } };

interface Request {
  readonly version: string;
  readonly method: string;
  readonly params?: object;
  readonly meta?: object;
  readonly accept?: string;
  /** Absent for a notification. */
  readonly id?: number | string | null;
}

const BOTH_REVISIONS = ["ping", "tools/list", "resources/list", "no/method"].flatMap((method) =>
  [MODERN, OLDER].map((version): Request => ({ version, method, id: 1 })),
);
const CALLS = [MODERN, OLDER].flatMap((version) =>
  [JSON_ALONE, BOTH].flatMap((accept) =>
    [{}, PROGRESS].map((meta): Request => ({ version, method: "tools/call", params: CALL, meta, accept, id: "call" })),
  ),
);
const EXCHANGES: readonly Request[] = [
  { version: OLDER, method: "initialize", params: CLIENT, id: 1 },
  { version: OLDER, method: "notifications/initialized" },
  { version: MODERN, method: "server/discover", id: 1 },
  ...BOTH_REVISIONS,
  ...CALLS,
  { version: MODERN, method: "tools/call", params: { ...CALL, name: "other" }, id: 1 },
  { version: MODERN, method: "tools/call", params: { name: "echo", arguments: { request: 7 } }, id: 1 },
  { version: MODERN, method: "tools/call", params: { name: "echo", requestState: "x" }, id: 1 },
  { version: MODERN, method: "tasks/get", params: { taskId: "none" }, id: 1 },
  { version: MODERN, method: "tasks/cancel", params: { taskId: "none" }, id: 1 },
];

it("requests at /mcp of both revisions are answered as before", async () => {
  await using world = await startGateway({ config: { MCP_APPS: ["echo"] } });
  const lines: string[] = [];
  for (const { version, method, params = {}, meta = {}, accept = BOTH, id } of EXCHANGES) {
    const isModern = version === MODERN;
    const own = {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    };
    const { name, taskId } = params as { readonly name?: string; readonly taskId?: string };
    const named = name ?? taskId;
    const before = world.runner.started.length;
    const { statusCode, headers, body } = await world.gateway.inject({
      ...{ method: "POST", url: "/mcp" },
      headers: {
        accept,
        "mcp-protocol-version": version,
        ...(isModern && { "mcp-method": method, ...(named !== undefined && { "mcp-name": named }) }),
      },
      payload: {
        ...{ jsonrpc: "2.0", method, ...(id !== undefined && { id }) },
        params: { ...params, _meta: { ...(isModern && own), ...meta } },
      },
    });
    lines.push(
      `${version} ${method} ${JSON.stringify({ ...params, ...meta })}, accepts ${accept}`,
      `  ${statusCode} ${headers["content-type"] ?? "no content"}, runs: ${world.runner.started.length - before}`,
      ...body
        .trimEnd()
        .split("\n")
        .map((line) => `  ${line}`.trimEnd()),
    );
  }
  const text = lines.join("\n").replaceAll(`"${Version.FAIRLEAD_VERSION}"`, '"this version"');
  await expect(`${text}\n`).toMatchFileSnapshot("exchanges-of-mcp.txt");
});
