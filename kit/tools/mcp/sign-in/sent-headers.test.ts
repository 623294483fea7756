import { expect, it } from "vitest";
import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { credentialKeyOf } from "#kit/credentials/credential-key.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { startModernServer } from "#test/helpers/mcp/modern-server.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { McpToolset, type McpToolsetOptions } from "../mcp-toolset.ts";

const plainFetch: typeof fetch = (input, init) => fetch(input, init);
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
    fetch: plainFetch,
    connectionParams: { kind: "streamable-http", url: server.url, headers: FIXED },
    ...options,
  });
  const credentialService = new InMemoryCredentialService();
  await toolset.getTools(new ReadonlyContext(createInvocation({ credentialService })));
  await toolset.close();
  const headers = server.received.find(({ method }) => method === "tools/list")?.headers ?? {};
  expect([headers["x-fixed"], headers["x-both"], headers.authorization]).toEqual(expected);
});

const OWNER = { tenantId: "acme", appName: "app", userId: "ada" };
const OWNERS = [
  OWNER,
  { ...OWNER, tenantId: "globex" },
  { ...OWNER, appName: "other" },
  { ...OWNER, userId: "eve" },
  // Names that could be mistaken for those of the first.
  { ...OWNER, tenantId: "acmeapp", appName: "" },
];

const SCHEME = { type: "http", scheme: "bearer" } as const;
const nameOf = ({ tenantId = "", appName, userId }: Partial<typeof OWNER>): string =>
  [tenantId, appName, userId].join("/");

it.each<[string, Partial<McpToolsetOptions>]>([
  [
    "a provider of the program",
    {
      authProvider: ({ invocationContext: { session } }) => ({ token: async () => nameOf(session) }),
    },
  ],
  ["a scheme", { authScheme: SCHEME }],
])(
  "a toolset serves no tenant, app or user by the connection or credential of another: %s",
  async (_title, options) => {
    await using server = await startModernServer({ tools: [], list: { ttlMs: 60_000 } });
    const toolset = new McpToolset({
      fetch: plainFetch,
      connectionParams: { kind: "streamable-http", url: server.url },
      ...options,
    });
    const credentialService = new InMemoryCredentialService();
    const owners = OWNERS.filter(({ appName }) => appName !== "" || options.authScheme === undefined);
    for (const owner of owners) {
      if (options.authScheme === undefined) continue;
      const credential = {
        authType: "http",
        http: { scheme: "bearer", credentials: { token: nameOf(owner) } },
      } as const;
      await credentialService.saveCredential(owner, credentialKeyOf({ authScheme: SCHEME }), credential);
    }
    for (const owner of [...owners, OWNER])
      await toolset.getTools(new ReadonlyContext(createInvocation({ credentialService, owner })));
    expect(toolset.openConnections).toBe(owners.length);
    await toolset.close();
    const lists = server.received.filter(({ method }) => method === "tools/list");
    expect(lists.map(({ headers }) => headers.authorization)).toEqual(owners.map((owner) => `Bearer ${nameOf(owner)}`));
  },
);
