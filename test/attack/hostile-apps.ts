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

/** Its card is good, so that its messages reach the peer. */
const REMOTE_AGENT = `import { RemoteA2AAgent } from "fairlead/a2a";

const modes = { defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"], skills: [] };
export const rootAgent = new RemoteA2AAgent({
  name: "a2a_peer",
  agentCard: {
    name: "peer",
    description: "A peer.",
    version: "1",
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    ...modes,
    supportedInterfaces: [{ url: "PEER/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  },
});
`;

/** The files of apps whose models, servers of tools or agents are at `url`. */
const APPS = {
  open_peer: () => "name: open_peer\nmodel: openai/hostile\ninstruction: Answer.\n",
  claude_peer: () => "name: claude_peer\nmodel: claude-hostile\ninstruction: Answer.\n",
  gemini_peer: () => "name: gemini_peer\nmodel: gemini-hostile\ninstruction: Answer.\n",
  open_live: () => "name: open_live\nmodel: openai/gpt-realtime-hostile\ninstruction: Answer.\n",
  gemini_live: () => "name: gemini_live\nmodel: gemini-3.8-live-hostile\ninstruction: Answer.\n",
  mcp_peer: (url) =>
    `name: mcp_peer\nmodel: openai/hostile\ninstruction: Answer.\ntools:\n  - name: McpToolset\n    args:\n      streamable_http_connection_params:\n        url: ${url}/mcp\n`,
  api_peer: (url) => API_AGENT.replace("PEER", url),
  a2a_peer: (url) => REMOTE_AGENT.replace("PEER", url),
  a2a_card: (url) => `name: a2a_card\nagentClass: RemoteA2AAgent\nagentCard: ${url}/card\n`,
} as const satisfies Readonly<Record<string, (url: string) => string>>;

export type HostileApp = keyof typeof APPS;
// The names of the object above.
const ALL_APPS = Object.keys(APPS) as readonly HostileApp[];
/** Those that a request runs; the others have live models. */
export const HOSTILE_APPS = ALL_APPS.filter((name) => !name.endsWith("_live"));

/** Writes the apps into the folder of agents. */
export function writeHostileApps(folder: string, url: string): void {
  for (const name of ALL_APPS) {
    mkdirSync(join(folder, name));
    const text = APPS[name](url);
    writeFileSync(join(folder, name, text.startsWith("import") ? "agent.ts" : "root_agent.yaml"), text);
  }
}
