import type { JsonObject } from "#kit/platform/json.ts";
import type { Framing, Refusal } from "./dialect.ts";
import { refusals } from "./openai-refusals.ts";

/** How one kind of server of OpenAI's protocol writes its answers. */
export interface OpenAiForm {
  readonly name: string;
  readonly model?: string;
  readonly index: "counted" | "zero" | "missing" | "from one";
  /** `changing`: another with each piece. */
  readonly ids: "own" | "empty" | "missing" | "null" | "on each piece" | "same for all" | "changing" | "numbers";
  /** `named`: in pieces, each with the name of its call. `so far`: each piece repeats those before. `object`: not as text. */
  readonly arguments:
    | "pieces"
    | "whole"
    | "named"
    | "so far"
    | "object"
    | "text of a text"
    | "name first"
    | "name in pieces"
    | "legacy";
  /** What stands for no arguments. */
  readonly noArguments?: string;
  readonly thoughts: "reasoning_content" | "reasoning" | "both" | "details" | "list" | "tags";
  readonly stop: string | null;
  readonly calls: string | null;
  readonly length?: string;
  readonly filtered?: string;
  readonly usage: "own chunk" | "last chunk" | "each chunk" | "choice" | "x_groq" | "none";
  readonly countsThoughts: "inside" | "outside" | "hidden";
  readonly cached: "prompt_tokens_details" | "prompt_cache_hit_tokens" | "cached_tokens";
  readonly countsAreTexts?: boolean;
  readonly done?: boolean;
  /** The whole answer once more at the end of a stream. */
  readonly repeats?: boolean;
  readonly framing?: Framing;
  /** Members that are null, false or empty where others leave them out. */
  readonly nulls?: boolean;
  /** A first chunk without a choice. */
  readonly preamble?: JsonObject;
  /** Content and reasoning as lists of texts. */
  readonly lists?: boolean;
  readonly signs?: boolean;
  readonly whole?: "as a stream";
  readonly refuse?: (body: JsonObject) => Refusal | undefined;
}

const OPENAI: Omit<OpenAiForm, "name"> = {
  index: "counted",
  ids: "own",
  arguments: "pieces",
  thoughts: "reasoning_content",
  stop: "stop",
  calls: "tool_calls",
  usage: "own chunk",
  countsThoughts: "inside",
  cached: "prompt_tokens_details",
};

export const OPENAI_FORMS: readonly OpenAiForm[] = [
  { ...OPENAI, name: "OpenAI", model: "gpt-5-mini", nulls: true, refuse: refusals.openAi },
  {
    ...OPENAI,
    name: "Azure",
    model: "gpt-5-mini",
    preamble: { choices: [], model: "", id: "", object: "", prompt_filter_results: [{ prompt_index: 0 }] },
    refuse: refusals.openAi,
  },
  { ...OPENAI, name: "Ollama", index: "zero", arguments: "whole", thoughts: "reasoning" },
  {
    ...OPENAI,
    name: "Ollama, older",
    index: "zero",
    arguments: "whole",
    thoughts: "reasoning",
    calls: "stop",
    usage: "none",
  },
  { ...OPENAI, name: "vLLM", thoughts: "both", usage: "each chunk", nulls: true, countsThoughts: "hidden" },
  { ...OPENAI, name: "vLLM without a reasoning parser", thoughts: "tags", ids: "changing", countsThoughts: "hidden" },
  { ...OPENAI, name: "vLLM, named calls", arguments: "name first", calls: "stop", countsThoughts: "hidden" },
  { ...OPENAI, name: "LiteLLM", index: "zero", nulls: true },
  { ...OPENAI, name: "LiteLLM, calls on each piece", index: "zero", ids: "on each piece", arguments: "named" },
  {
    ...OPENAI,
    name: "Together",
    arguments: "whole",
    thoughts: "reasoning",
    stop: "eos",
    usage: "last chunk",
    countsThoughts: "hidden",
  },
  {
    ...OPENAI,
    name: "DeepSeek",
    usage: "last chunk",
    cached: "prompt_cache_hit_tokens",
    refuse: refusals.wantsReasoning,
  },
  {
    ...OPENAI,
    name: "Kimi",
    usage: "choice",
    cached: "cached_tokens",
    countsThoughts: "hidden",
    refuse: refusals.wantsReasoning,
  },
  {
    ...OPENAI,
    name: "Groq",
    arguments: "whole",
    thoughts: "reasoning",
    usage: "x_groq",
    refuse: refusals.knownMembers,
  },
  {
    ...OPENAI,
    name: "OpenRouter",
    thoughts: "details",
    usage: "last chunk",
    framing: { comments: "OPENROUTER PROCESSING" },
  },
  {
    ...OPENAI,
    name: "llama.cpp",
    ids: "empty",
    thoughts: "reasoning_content",
    countsThoughts: "hidden",
    framing: { tight: true },
  },
  {
    ...OPENAI,
    name: "llama.cpp without a template",
    ids: "missing",
    index: "missing",
    arguments: "whole",
    thoughts: "tags",
    countsThoughts: "hidden",
    done: false,
  },
  {
    ...OPENAI,
    name: "Mistral",
    model: "mistral-large-latest",
    arguments: "whole",
    thoughts: "list",
    usage: "last chunk",
    length: "model_length",
    countsThoughts: "hidden",
    refuse: refusals.mistral,
  },
  {
    ...OPENAI,
    name: "Mistral, lists of text",
    model: "magistral-medium-latest",
    arguments: "object",
    thoughts: "list",
    lists: true,
    usage: "last chunk",
    countsThoughts: "hidden",
    refuse: refusals.mistral,
  },
  { ...OPENAI, name: "xAI", arguments: "whole", usage: "each chunk", countsThoughts: "outside" },
  {
    ...OPENAI,
    name: "Gemini's compatible endpoint",
    model: "gemini-3-flash",
    index: "zero",
    ids: "empty",
    arguments: "whole",
    calls: "stop",
    usage: "each chunk",
    signs: true,
    framing: { lineEnd: "\r\n" },
    thoughts: "tags",
    countsThoughts: "outside",
  },
  {
    ...OPENAI,
    name: "a gateway to Claude",
    stop: "end_turn",
    calls: "tool_use",
    length: "max_tokens",
    filtered: "refusal",
    index: "from one",
  },
  {
    ...OPENAI,
    name: "a gateway to Gemini",
    stop: "STOP",
    calls: "STOP",
    length: "MAX_TOKENS",
    filtered: "SAFETY",
    arguments: "object",
    ids: "null",
  },
  { ...OPENAI, name: "Cohere", stop: "COMPLETE", calls: "TOOL_CALL", length: "MAX_TOKENS" },
  { ...OPENAI, name: "Zhipu", stop: "stop", filtered: "sensitive", usage: "last chunk", nulls: true },
  {
    ...OPENAI,
    name: "a server that ends with a stop sequence",
    stop: "stop_sequence",
    calls: "function_call",
    usage: "none",
  },
  { ...OPENAI, name: "a server that says end", stop: "end", calls: "end", index: "missing", framing: { dense: true } },
  {
    ...OPENAI,
    name: "a server without reasons",
    stop: null,
    calls: null,
    ids: "same for all",
    framing: { lineEnd: "\r\n" },
  },
  {
    ...OPENAI,
    name: "a server of 2023",
    arguments: "legacy",
    ids: "missing",
    index: "missing",
    calls: "function_call",
    usage: "none",
  },
  { ...OPENAI, name: "MiniMax", usage: "last chunk", repeats: true, arguments: "so far", done: false },
  {
    ...OPENAI,
    name: "a server that cuts names",
    arguments: "name in pieces",
    noArguments: "null",
    framing: { empty: true, contentType: "text/plain" },
  },
  {
    ...OPENAI,
    name: "a server that writes lines of JSON",
    ids: "numbers",
    arguments: "text of a text",
    countsAreTexts: true,
    framing: { as: "lines", contentType: "application/x-ndjson" },
  },
  { ...OPENAI, name: "a gateway that does not stream", whole: "as a stream", thoughts: "reasoning" },
  {
    ...OPENAI,
    name: "a server that leaves out what it may",
    ids: "missing",
    index: "missing",
    arguments: "object",
    usage: "none",
    done: false,
  },
];
