import { expect } from "vitest";
import { userContent } from "#kit/events/content.ts";
import type { ConnectOptions } from "#kit/models/base-llm-connection.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { field, type GeminiLiveServer, type GeminiServerOptions } from "./gemini-live-server.ts";
import { Talk } from "./talk.ts";

export const MODEL = "gemini-3.8-live";
export const KEY = "key-that-must-stay-secret";

export async function openCall(server: GeminiLiveServer, options: Partial<ConnectOptions> = {}) {
  const model = new Gemini({ model: MODEL, apiKey: KEY, baseUrl: server.url, sleep: async () => {} });
  const request = new LlmRequest({
    model: MODEL,
    contents: [userContent("Hello"), { role: "model", parts: [{ text: "Hi" }] }],
  });
  const connection = await model.connect(request, { config: {}, signal: new AbortController().signal, ...options });
  if (connection.resumed !== true) await connection.sendHistory(request.contents);
  return { connection, talk: new Talk(connection) };
}

/** Answers each text with its echo, in a session that has a handle afterwards. */
export const ECHO: GeminiServerOptions = {
  on: (session, { realtimeInput }, server) => {
    const text = field(realtimeInput, "text");
    if (typeof text !== "string") return;
    server.answer(session, `You said ${text}`);
    server.handle(session);
  },
};

export async function ask({ connection, talk }: Awaited<ReturnType<typeof openCall>>, text: string): Promise<void> {
  const before = talk.said.length;
  await connection.sendContent(userContent(text));
  await expect.poll(() => talk.said.length).toBe(before + 1);
}

export function handleOf(server: GeminiLiveServer): unknown {
  return field(server.setups.at(-1)?.["sessionResumption"], "handle");
}
