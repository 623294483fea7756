import { createApp } from "fairlead/adk";
import { functionResponses, LlmAgent, McpToolset, Runner, textOf, userContent } from "fairlead/kit";
import { functionCallResponse, ScriptedModel } from "fairlead/kit/testing";

// A program that speaks MCP on standard input and output. Yours is `npx -y some-mcp-server`, or a URL.
const PROGRAM = `
const tool = { name: "find_book", description: "Finds a book.", inputSchema: { type: "object" } };
const results = {
  "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 60000, cacheScope: "public" },
  "tools/list": { tools: [tool], ttlMs: 60000, cacheScope: "public" },
  "tools/call": { content: [{ type: "text", text: "Shelf A 12" }] },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const answer = { resultType: "complete", ...results[method] };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answer }));
});`;
const library = new McpToolset({
  connectionParams: { kind: "stdio", command: process.execPath, args: ["--eval", PROGRAM] },
  toolFilter: ["find_book"],
});
const model = new ScriptedModel([functionCallResponse("find_book", { title: "Walden" }), "It is on shelf A 12."]);
const rootAgent = new LlmAgent({ name: "librarian", model, instruction: "Find books.", tools: [library] });
const app = createApp({ name: "library", rootAgent });
const runner = new Runner({ app, runConfig: { autoCreateSession: true } });

const newMessage = userContent("Where is Walden?");
for await (const event of runner.runAsync({ userId: "ada", sessionId: "first", newMessage })) {
  for (const { name, response } of functionResponses(event)) console.log(name, JSON.stringify(response));
  if (textOf(event.content) !== "") console.log(`${event.author}: ${textOf(event.content)}`);
}
await runner.close();
