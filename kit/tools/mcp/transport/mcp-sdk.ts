import { importOptional } from "#kit/optional-packages/optional-package.ts";

/** The parts of the SDK that run: loaded by the first connection, because most processes have none. */
export type McpSdk = Awaited<ReturnType<typeof loadMcpSdk>>;

/** Throws `PACKAGE_MISSING`. */
export async function loadMcpSdk() {
  return importOptional({
    name: "@modelcontextprotocol/client",
    user: "MCP toolsets",
    load: async () => {
      const [client, stdio] = await Promise.all([
        import("@modelcontextprotocol/client"),
        import("@modelcontextprotocol/client/stdio"),
      ]);
      return { ...client, getDefaultEnvironment: stdio.getDefaultEnvironment };
    },
  });
}
