import { createInterface } from "node:readline";

/**
 * An MCP server of the protocol of 2026-07-28 on standard input and output, one JSON text a line. It is stateless: a call
 * that needs data of the user gets it with the next request, together with the state that the server gave away.
 */
const SERVER = { "io.modelcontextprotocol/serverInfo": { name: "library", version: "1.0.0" } };
const CACHED = { ttlMs: 60_000, cacheScope: "public" };

const RESERVE = {
  name: "reserve_book",
  description: "Reserves a book of the library by its title.",
  inputSchema: {
    type: "object",
    properties: { title: { type: "string", description: "The title of the book." } },
    required: ["title"],
  },
};

const CARD = {
  type: "object",
  properties: {
    card: { type: "string", title: "Number of your library card", minLength: 1 },
    weeks: { type: "integer", title: "Weeks", minimum: 1, maximum: 4, default: 2 },
  },
  required: ["card"],
};

interface Call {
  readonly arguments?: { readonly title?: unknown };
  readonly inputResponses?: {
    readonly card?: { readonly action?: string; readonly content?: Record<string, unknown> };
  };
  readonly requestState?: string;
}

function resultOf(method: string, params: Call): object | undefined {
  switch (method) {
    case "server/discover":
      return { ...CACHED, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    case "tools/list":
      return { ...CACHED, tools: [RESERVE] };
    case "tools/call":
      return reserve(params);
    default:
      return undefined;
  }
}

function reserve({ arguments: args, inputResponses, requestState }: Call): object {
  const answer = inputResponses?.card;
  if (answer === undefined || requestState === undefined) {
    const title = String(args?.title ?? "");
    const params = { mode: "form", message: `Which card is “${title}” reserved for?`, requestedSchema: CARD };
    const inputRequests = { card: { method: "elicitation/create", params } };
    return { resultType: "input_required", inputRequests, requestState: JSON.stringify({ title }) };
  }
  const { title } = JSON.parse(requestState) as { readonly title: string };
  if (answer.action !== "accept") return say(`“${title}” was not reserved.`);
  return say(`“${title}” is reserved for card ${answer.content?.["card"]}, for ${answer.content?.["weeks"]} weeks.`);
}

function say(text: string): object {
  return { content: [{ type: "text", text }] };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const result = resultOf(method, params);
  const error = { code: -32601, message: "Method not found" };
  const answer = result === undefined ? { error } : { result: { resultType: "complete", _meta: SERVER, ...result } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
