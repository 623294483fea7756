import { expect, it } from "vitest";
import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { startModernServer } from "#test/helpers/mcp/modern-server.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { McpToolset, type McpToolsetOptions } from "../mcp-toolset.ts";

const HTTP = { kind: "streamable-http", url: "https://mcp.test/" } as const;
const STDIO = { kind: "stdio", command: "server" } as const;
const signIn = { redirectUri: "https://app.test/dev-ui/" };
const authScheme = { type: "http", scheme: "bearer" } as const;
const authProvider = () => ({});

it.each<readonly [Partial<McpToolsetOptions>, field: string, problem: string]>([
  [{ connectionParams: STDIO, signIn }, "signIn", "is for servers on HTTP"],
  [{ connectionParams: STDIO, authScheme }, "authScheme", "is for servers on HTTP"],
  [{ connectionParams: STDIO, authProvider }, "authProvider", "is for servers on HTTP"],
  [{ signIn, authScheme }, "signIn", "and authScheme exclude each other"],
  [{ signIn, authProvider }, "signIn", "and authProvider exclude each other"],
  [{ authScheme: { type: "apiKey", in: "query", name: "key" } }, "authScheme.in", 'must be "header"'],
  [{ signIn: { redirectUri: "dev-ui" } }, "signIn.redirectUri", "must be an address"],
  [{ maxConnections: 0 }, "maxConnections", "above 0"],
  [{ maxConnections: 1.5 }, "maxConnections", "whole number"],
  [{ idleTimeoutMs: 0 }, "idleTimeoutMs", "above 0"],
  [{ listTtlMs: -1 }, "listTtlMs", "whole number"],
])("refuses %j", (options, field, problem) => {
  expect(() => new McpToolset({ connectionParams: HTTP, ...options })).toThrow(
    expect.objectContaining({
      ...{ reason: "INVALID_FIELD", details: { field } },
      message: expect.stringContaining(problem),
    }),
  );
});

it.each<Partial<McpToolsetOptions>>([
  { connectionParams: STDIO },
  { signIn },
  { authScheme: { type: "apiKey", in: "header", name: "x-key" } },
  { listTtlMs: 0, maxConnections: 1, idleTimeoutMs: 1 },
])("takes %j", (options) => {
  expect(new McpToolset({ connectionParams: HTTP, ...options }).openConnections).toBe(0);
});

it.each<Readonly<Record<string, string>>>([
  { "x-key": "secret\nvalue" },
  { "x key": "secret" },
  // Programs without types may return anything.
  { "x-key": 5 as unknown as string },
])("refuses what the header provider returns, without its value: %j", async (headers) => {
  await using server = await startModernServer({ tools: [] });
  const toolset = new McpToolset({
    connectionParams: { kind: "streamable-http", url: server.url },
    fetch: (input, init) => fetch(input, init),
    headerProvider: () => headers,
  });
  const [name = ""] = Object.keys(headers);
  const listed = toolset.getTools(new ReadonlyContext(createInvocation({})));
  await expect(listed).rejects.toMatchObject({
    reason: "INVALID_FIELD",
    message: `headerProvider: the value of "${name}" cannot be a header.`,
  });
  expect(server.received).toEqual([]);
  await toolset.close();
});
