import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A model of the author's own, which calls the tool once in each turn. */
const API_AGENT = `import { LlmAgent, OpenApiToolset } from "fairlead/kit";

const model = {
  model: "caller",
  async *generateContentAsync({ contents }) {
    const isAnswered = contents.at(-1)?.parts?.some((part) => part.functionResponse !== undefined);
    yield { content: { role: "model", parts: [isAnswered ? { text: "Done." } : { functionCall: { name: "list_things", args: {} } }] } };
  },
};
const content = { "application/json": { schema: { type: "array", items: { type: "string" } } } };
const responses = { 200: { description: "All of them.", content } };
const spec = {
  openapi: "3.1.0",
  info: { title: "Things", version: "1" },
  servers: [{ url: "PEER/things" }],
  paths: { "/": { get: { operationId: "listThings", summary: "Lists things.", responses } } },
};

export const rootAgent = new LlmAgent({
  name: "api_peer",
  model,
  instruction: "List the things.",
  tools: [new OpenApiToolset({ spec })],
});
`;

/** The files of apps whose models or servers of tools are at `url`. */
const APPS = {
  open_peer: () => "name: open_peer\nmodel: openai/hostile\ninstruction: Answer.\n",
  claude_peer: () => "name: claude_peer\nmodel: claude-hostile\ninstruction: Answer.\n",
  gemini_peer: () => "name: gemini_peer\nmodel: gemini-hostile\ninstruction: Answer.\n",
  mcp_peer: (url) =>
    `name: mcp_peer\nmodel: openai/hostile\ninstruction: Answer.\ntools:\n  - name: McpToolset\n    args:\n      streamable_http_connection_params:\n        url: ${url}/mcp\n`,
  api_peer: (url) => API_AGENT.replace("PEER", url),
} as const satisfies Readonly<Record<string, (url: string) => string>>;

export type HostileApp = keyof typeof APPS;
// The names of the object above.
export const HOSTILE_APPS = Object.keys(APPS) as readonly HostileApp[];

/** Writes the apps into the folder of agents. */
export function writeHostileApps(folder: string, url: string): void {
  for (const name of HOSTILE_APPS) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, name === "api_peer" ? "agent.ts" : "root_agent.yaml"), APPS[name](url));
  }
}
