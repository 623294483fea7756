import { expect, it } from "vitest";
import { fromClaudeResponse } from "./claude-stream.ts";

type Usage = Readonly<Record<string, number | null>>;

async function usageOf(first: Usage, last: Usage): Promise<unknown> {
  const events = [
    { type: "message_start", message: { model: "claude", usage: first } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: last },
    { type: "message_stop" },
  ];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const chunks = await Array.fromAsync(fromClaudeResponse(new Response(body)));
  return chunks.at(-1)?.usageMetadata;
}

it.each<[string, Usage]>([
  ["without the counts of the prompt", { output_tokens: 5 }],
  ["with null for them", { output_tokens: 5, input_tokens: null, cache_read_input_tokens: null }],
])("keeps the prompt's tokens when the stream ends %s", async (_, last) => {
  const first = { input_tokens: 10, cache_read_input_tokens: 3, cache_creation_input_tokens: 2, output_tokens: 1 };
  expect(await usageOf(first, last)).toEqual({
    promptTokenCount: 15,
    candidatesTokenCount: 5,
    totalTokenCount: 20,
    cachedContentTokenCount: 3,
  });
});

it("uses the counts of the last event if it has them", async () => {
  expect(await usageOf({ input_tokens: 10, output_tokens: 1 }, { input_tokens: 12, output_tokens: 5 })).toEqual({
    promptTokenCount: 12,
    candidatesTokenCount: 5,
    totalTokenCount: 17,
  });
});
