/**
 * Why an answer ended, in the words of servers, by the finish reason of the kit. Servers of one protocol use one
 * another's words and their own: Together `eos`, Cohere `COMPLETE`, Bedrock `end_turn`, Mistral `model_length`, Zhipu
 * `sensitive`.
 */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  STOP: [
    "stop",
    "stop_sequence",
    "stop_token",
    "eos",
    "eos_token",
    "end",
    "end_turn",
    "endoftext",
    "complete",
    "completed",
    "done",
    "finished",
    "tool_calls",
    "tool_call",
    "tool_use",
    "function_call",
  ],
  MAX_TOKENS: [
    "length",
    "max_tokens",
    "max_length",
    "max_output_tokens",
    "model_length",
    "model_context_window_exceeded",
    "error_limit",
  ],
  SAFETY: ["content_filter", "content_filtered", "guardrail_intervened", "refusal", "safety", "sensitive"],
};

/** Words for an answer that failed; `abort` is vLLM's, `insufficient_system_resource` DeepSeek's. */
const FAILED: ReadonlySet<string> = new Set([
  "abort",
  "aborted",
  "cancelled",
  "error",
  "insufficient_system_resource",
  "interrupted",
  "malformed_function_call",
  "network_error",
  "timeout",
  "unknown_error",
]);

const FINISH_REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([reason, words]) => words.map((word) => [word, reason] as const)),
);

/**
 * The kit's finish reason for a server's word, in any case and with `-` or `_`. An unknown word is `OTHER`; if the
 * answer has calls that are complete, it has ended to have them run.
 */
export function toFinishReason(word: string, { hasCalls }: { readonly hasCalls: boolean }): string {
  const plain = word.trim().toLowerCase().replace(/[\s-]/g, "_");
  const known = FINISH_REASONS.get(plain);
  if (known !== undefined) return known;
  return hasCalls && !FAILED.has(plain) ? "STOP" : "OTHER";
}
