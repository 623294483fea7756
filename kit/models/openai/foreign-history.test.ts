import { describe, expect, it } from "vitest";
import type { Content, Part } from "#kit/events/content.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { startWireServer, type WireServer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";

const DETAILS: JsonObject[] = [
  { type: "reasoning.text", text: "I look.", signature: "s", index: 0 },
  { type: "reasoning.encrypted", data: "c2VhbGVk", index: 1 },
];
const CALL = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };

/** A server that answers with a call and its reasoning, and refuses messages by its rule. */
async function startServer(
  reasoning: JsonObject,
  refuse: (message: JsonObject) => string | undefined,
): Promise<WireServer> {
  const server = await startWireServer((response) => {
    const { body } = server.requests.at(-1) ?? {};
    const messages = isJsonObject(body) && Array.isArray(body["messages"]) ? body["messages"].filter(isJsonObject) : [];
    const message = messages.filter(({ role }) => role === "assistant").flatMap((one) => refuse(one) ?? [])[0];
    response.writeHead(message === undefined ? 200 : 400, { "content-type": "application/json" });
    const answer = {
      choices: [{ message: { content: null, ...reasoning, tool_calls: [CALL] }, finish_reason: "stop" }],
    };
    response.end(JSON.stringify(message === undefined ? answer : { error: { message } }));
  });
  return server;
}

const deepSeek = () =>
  startServer({ reasoning_content: "I look." }, ({ reasoning_content }) =>
    typeof reasoning_content === "string" && reasoning_content !== ""
      ? undefined
      : "The `reasoning_content` in the thinking mode must be passed back to the API.",
  );
const groq = () =>
  startServer({ reasoning: "I look." }, ({ reasoning_content }) =>
    reasoning_content === undefined ? undefined : "property 'reasoning_content' is unsupported",
  );
const openRouter = () =>
  startServer({ reasoning: "I look.", reasoning_details: DETAILS }, ({ reasoning_details }) =>
    reasoning_details === undefined || JSON.stringify(reasoning_details) === JSON.stringify(DETAILS)
      ? undefined
      : "reasoning details must be preserved",
  );
const SERVERS = { deepSeek, groq, openRouter };
type Name = keyof typeof SERVERS;
const PAIRS = Object.keys(SERVERS).flatMap((from) => Object.keys(SERVERS).map((to) => [from, to])) as [Name, Name][];

const GO: Content = { role: "user", parts: [{ text: "go" }] };
const FOUND: Part = { functionResponse: { id: "c1", name: "look", response: { found: true } } };

async function ask(server: WireServer, model: Name, contents: readonly Content[]): Promise<Content> {
  const llm = new OpenAiCompatible({ model, baseUrl: server.url, retry: { maxAttempts: 1 } });
  const request = new LlmRequest({ model, contents: [...contents] });
  request.appendTools({ name: "look", getDeclaration: () => ({ name: "look" }) });
  const options = { stream: false, signal: new AbortController().signal };
  const [answer] = await Array.fromAsync(llm.generateContentAsync(request, options));
  return answer?.content ?? expect.unreachable("the answer has content");
}

describe.each(PAIRS)("a round of tools that began at %s", (from, to) => {
  it(`goes on at ${to}, in the round and after it`, async () => {
    verifies("providers:thoughts:own-model");
    await using first = await SERVERS[from]();
    await using second = from === to ? undefined : await SERVERS[to]();
    const next = second ?? first;
    const history = [GO, await ask(first, from, [GO]), { role: "user", parts: [FOUND] }];
    await ask(next, to, history);
    await ask(next, to, [...history, { role: "model", parts: [{ text: "Found." }] }, GO]);
    const sent = JSON.stringify(next.requests.at(-1)?.body);
    expect(sent.includes("c2VhbGVk")).toBe(from === to && from === "openRouter");
  });
});
