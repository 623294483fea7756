import { fileURLToPath } from "node:url";
import { LlmAgent, McpToolset } from "fairlead/kit";

const library = new McpToolset({
  connectionParams: {
    kind: "stdio",
    command: process.execPath,
    args: [fileURLToPath(new URL("library-server.ts", import.meta.url))],
    timeoutMs: 20_000,
  },
});

export const rootAgent = new LlmAgent({
  name: "library",
  description: "Reserves books of a library, through an MCP server.",
  model: "demo/library",
  instruction:
    "You reserve books. Call reserve_book with the title that the user names, then say what the library answered.",
  tools: [library],
});
