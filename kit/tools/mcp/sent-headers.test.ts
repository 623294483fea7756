import { expect, it } from "vitest";
import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { InMemoryCredentialService } from "#kit/credentials/in-memory-credential-service.ts";
import { startModernServer } from "#test/helpers/mcp/modern-server.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { McpToolset, type McpToolsetOptions } from "./mcp-toolset.ts";

const FIXED = { "x-fixed": "1", "x-both": "fixed", Authorization: "Bearer fixed" };
const PROVIDED = { "X-Both": "provided", authorization: "Bearer provided" };
const credential = { authType: "http", http: { scheme: "bearer", credentials: { token: "own" } } } as const;

it.each<[string, Partial<McpToolsetOptions>, readonly string[]]>([
  ["its own", {}, ["1", "fixed", "Bearer fixed"]],
  ["those of the header provider over them", { headerProvider: () => PROVIDED }, ["1", "provided", "Bearer provided"]],
  [
    "the credential of the scheme over both",
    {
      headerProvider: () => PROVIDED,
      authScheme: { type: "http", scheme: "bearer" },
      authCredential: credential,
    },
    ["1", "provided", "Bearer own"],
  ],
])("a toolset sends one header of a name, whatever its case: %s", async (_title, options, expected) => {
  await using server = await startModernServer({ tools: [] });
  const toolset = new McpToolset({
    fetch: (input, init) => fetch(input, init),
    connectionParams: { kind: "streamable-http", url: server.url, headers: FIXED },
    ...options,
  });
  const credentialService = new InMemoryCredentialService();
  await toolset.getTools(new ReadonlyContext(createInvocation({ credentialService })));
  await toolset.close();
  const headers = server.received.find(({ method }) => method === "tools/list")?.headers ?? {};
  expect([headers["x-fixed"], headers["x-both"], headers.authorization]).toEqual(expected);
});
