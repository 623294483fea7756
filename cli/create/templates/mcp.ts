import { type Template, testHead } from "./template.ts";

/** Tools of an MCP server. */
export const MCP: Template = {
  about: "An agent that uses the tools of an MCP server, which is part of the project.",
  firstMessage: "Find the book “Moby Dick”",
  then: "the agent calls `find_book`, which the MCP server has",
  dependencies: { "@modelcontextprotocol/client": "^2.4.0" },
  sections: `## The MCP server

\`McpToolset\` in \`agent.ts\` starts the program \`catalog-server.ts\` and has the tools that it lists. For another server, change
\`connectionParams\`:

\`\`\`ts
{ kind: "stdio", command: "npx", args: ["-y", "some-mcp-server"] }
{ kind: "streamable-http", url: "https://tickets.example/mcp" }
\`\`\`

\`toolFilter\` picks tools, \`toolNamePrefix\` keeps the names of several servers apart, and \`requireConfirmation\` asks a person before each call.

`,
  files: (name) => ({
    "agent.ts": `import { fileURLToPath } from "node:url";
import { LlmAgent, McpToolset } from "fairlead/kit";

const catalog = new McpToolset({
  connectionParams: {
    kind: "stdio",
    command: process.execPath,
    args: [fileURLToPath(new URL("catalog-server.ts", import.meta.url))],
  },
});

export const rootAgent = new LlmAgent({
  name: "${name}",
  description: "Finds books of a library, through an MCP server.",
  model: "demo/chat",
  instruction: "You help readers of a library. Call find_book with the title that the user names, and report where the book is.",
  tools: [catalog],
});
`,
    "catalog-server.ts": `import { createInterface } from "node:readline";
import { Readable } from "node:stream";

// A small MCP server on standard input and output: one JSON text a line. It has one tool.

const SHELVES: Readonly<Record<string, string>> = { "moby dick": "A 12", "middlemarch": "B 3", "walden": "C 7" };

const FIND_BOOK = {
  name: "find_book",
  description: "Finds the shelf of a book by its title.",
  inputSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
};

function resultOf(method: string, params: { readonly arguments?: { readonly title?: unknown } }): object | undefined {
  switch (method) {
    case "server/discover":
      return { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 60_000, cacheScope: "public" };
    case "tools/list":
      return { tools: [FIND_BOOK], ttlMs: 60_000, cacheScope: "public" };
    case "tools/call": {
      const title = String(params.arguments?.title ?? "");
      const shelf = SHELVES[title.toLowerCase()];
      const text = shelf === undefined ? \`The library does not have “\${title}”.\` : \`“\${title}” is on shelf \${shelf}.\`;
      return { content: [{ type: "text", text }] };
    }
    default:
      return undefined;
  }
}

const SERVER = { "io.modelcontextprotocol/serverInfo": { name: "catalog", version: "1.0.0" } };

async function* answers(): AsyncGenerator<string> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined) continue;
    const result = resultOf(method, params);
    const answer =
      result === undefined
        ? { error: { code: -32601, message: "Method not found" } }
        : { result: { resultType: "complete", _meta: SERVER, ...result } };
    yield \`\${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\\n\`;
  }
}

Readable.from(answers()).pipe(process.stdout);
`,
    "agent.test.ts": `${testHead(name, { kit: "functionResponses, Runner, textOf, userContent", testing: "functionCallResponse, ScriptedModel" })}
it("calls the tool of the server that it starts", async () => {
  const model = new ScriptedModel([functionCallResponse("find_book", { title: "Walden" }), "On shelf C 7."]);
  const send = await converse(model);

  const events = await send(userContent("Where is Walden?"));

  expect(JSON.stringify(events.flatMap(functionResponses))).toContain("“Walden” is on shelf C 7.");
  expect(textOf(events.at(-1)?.content)).toBe("On shelf C 7.");
  await rootAgent.close();
});
`,
  }),
  cases: [
    {
      id: "a_book",
      message: "Find the book “Moby Dick”",
      calls: [{ name: "find_book", args: { title: "Moby Dick" } }],
      answer: "Here is what I found. “Moby Dick” is on shelf A 12.",
    },
  ],
};
