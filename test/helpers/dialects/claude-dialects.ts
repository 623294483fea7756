import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { type Answer, piecesOf } from "./answer.ts";
import { type Dialect, type Framing, type Refusal, type WrittenAnswer, writtenStream } from "./dialect.ts";
import { toolRefusal } from "./tool-refusals.ts";

/** How one kind of server of Anthropic's messages API writes its answers. */
interface Form {
  readonly name: string;
  /** Where the arguments of a call are: in pieces, or whole at its beginning, there as an object or as text. */
  readonly input: "pieces" | "one piece" | "at start" | "text at start";
  /** Where texts are. */
  readonly texts: "pieces" | "at start";
  readonly usage: "both" | "end only" | "nulls" | "none";
  readonly ids: "own" | "empty" | "missing";
  readonly stop: string | null;
  readonly calls: string | null;
  readonly length?: string;
  readonly filtered?: string;
  readonly signs: boolean;
  /** Without `content_block_stop`, `message_stop`, or the lines with the events' names. */
  readonly without?: readonly ("block stops" | "message stop" | "event lines" | "starts of texts" | "indexes")[];
  readonly extras?: boolean;
  readonly framing?: Framing;
  readonly whole?: "as a stream";
}

const ANTHROPIC: Omit<Form, "name"> = {
  input: "pieces",
  texts: "pieces",
  usage: "both",
  ids: "own",
  stop: "end_turn",
  calls: "tool_use",
  signs: true,
};

const FORMS: readonly Form[] = [
  { ...ANTHROPIC, name: "Anthropic", extras: true },
  { ...ANTHROPIC, name: "a Bedrock gateway", extras: true, input: "one piece" },
  { ...ANTHROPIC, name: "a Bedrock gateway that sends data only", without: ["event lines"], input: "one piece" },
  { ...ANTHROPIC, name: "a server that puts the input at the start", input: "at start", signs: false },
  {
    ...ANTHROPIC,
    name: "a server that puts the input at the start as text",
    input: "text at start",
    usage: "end only",
  },
  { ...ANTHROPIC, name: "a server that puts texts at the start", texts: "at start", input: "at start" },
  { ...ANTHROPIC, name: "DeepSeek's Claude endpoint", usage: "end only", signs: false },
  { ...ANTHROPIC, name: "Moonshot's Claude endpoint", ids: "own", usage: "nulls", signs: false },
  {
    ...ANTHROPIC,
    name: "a gateway to OpenAI",
    stop: "stop",
    calls: "tool_calls",
    length: "length",
    filtered: "content_filter",
    usage: "none",
    signs: false,
  },
  { ...ANTHROPIC, name: "a server without ids", ids: "empty", input: "one piece", without: ["indexes"] },
  { ...ANTHROPIC, name: "a server without ends", without: ["block stops", "message stop"], ids: "missing" },
  { ...ANTHROPIC, name: "a server without reasons", stop: null, calls: null },
  {
    ...ANTHROPIC,
    name: "a server without starts of texts",
    without: ["starts of texts"],
    framing: { lineEnd: "\r\n", tight: true },
  },
  {
    ...ANTHROPIC,
    name: "a gateway that ends as OpenAI does",
    without: ["message stop"],
    framing: { empty: true, end: "[DONE]", contentType: "application/json" },
  },
  { ...ANTHROPIC, name: "a gateway that does not stream", whole: "as a stream" },
];

export const CLAUDE_DIALECTS: readonly Dialect[] = FORMS.map((form) => ({
  name: form.name,
  model: "claude-sonnet-5-5",
  refuse: refuseClaude,
  reports: {
    thoughts: true,
    usage: form.usage !== "none",
    thoughtTokens: false,
    cachedTokens: true,
    ids: form.ids === "own",
    signatures: false,
    manyCalls: true,
  },
  write: (answer, { model, stream }) =>
    stream && form.whole !== "as a stream"
      ? streamOf(form, answer, model)
      : { contentType: "application/json", body: JSON.stringify(wholeOf(form, answer, model)) },
}));

type Block = { readonly block: JsonObject; readonly deltas: readonly JsonObject[] };

function streamOf(form: Form, answer: Answer, model: string): WrittenAnswer {
  const leaves = (what: NonNullable<Form["without"]>[number]): boolean => form.without?.includes(what) === true;
  const place = (index: number): JsonObject => (leaves("indexes") ? {} : { index });
  const { usage: _, ...message } = wholeOf(form, { ...answer, thought: "", text: "", calls: [] }, model);
  const events: JsonObject[] = [
    {
      type: "message_start",
      message: {
        ...message,
        content: [],
        stop_reason: null,
        ...(form.usage === "both" && { usage: usageOf(answer, 1) }),
      },
    },
    ...(form.extras === true ? [{ type: "ping" }, { type: "a_type_of_tomorrow", value: 1 }] : []),
    ...blocksOf(form, answer).flatMap(({ block, deltas }, index): JsonObject[] => [
      ...(leaves("starts of texts") && block["type"] === "text"
        ? []
        : [{ type: "content_block_start", ...place(index), content_block: block }]),
      ...deltas.map((delta) => ({ type: "content_block_delta", ...place(index), delta })),
      ...(leaves("block stops") ? [] : [{ type: "content_block_stop", ...place(index) }]),
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: finishOf(form, answer), stop_sequence: null },
      ...(form.usage === "none" ? {} : { usage: lastUsageOf(form, answer) }),
    },
    ...(leaves("message stop")
      ? []
      : [
          {
            type: "message_stop",
            ...(form.extras === true && { "amazon-bedrock-invocationMetrics": { inputTokenCount: 1 } }),
          },
        ]),
  ];
  return writtenStream(events, form.framing ?? {}, !leaves("event lines"));
}

function wholeOf(form: Form, answer: Answer, model: string): JsonObject {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model,
    content: wholeBlocks(form, answer),
    stop_reason: finishOf(form, answer),
    stop_sequence: null,
    ...(form.usage === "none" ? {} : { usage: usageOf(answer, answer.usage.output) }),
  };
}

function wholeBlocks(form: Form, { thought, text, calls }: Answer): JsonObject[] {
  return [
    ...(thought === "" ? [] : [{ type: "thinking", thinking: thought, ...(form.signs && { signature: "c2ln" }) }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ name, args }, index) => ({
      type: "tool_use",
      ...idOf(form, index),
      name,
      input: form.input === "text at start" ? JSON.stringify(args) : args,
    })),
  ];
}

function blocksOf(form: Form, answer: Answer): readonly Block[] {
  return wholeBlocks(form, answer).map((block): Block => {
    if (block["type"] === "text") return textBlock(form, { type: "text", text: "" }, "text_delta", "text", answer.text);
    if (block["type"] === "thinking") {
      const empty = { type: "thinking", thinking: "", signature: "" };
      const { deltas, block: begun } = textBlock(form, empty, "thinking_delta", "thinking", answer.thought);
      return {
        block: begun,
        deltas: [...deltas, ...(form.signs ? [{ type: "signature_delta", signature: "c2ln" }] : [])],
      };
    }
    return callBlock(form, block);
  });
}

function textBlock(form: Form, empty: JsonObject, type: string, member: string, text: string): Block {
  if (form.texts === "at start") return { block: { ...empty, [member]: text }, deltas: [] };
  return { block: empty, deltas: piecesOf(text).map((piece) => ({ type, [member]: piece })) };
}

function callBlock({ input }: Form, block: JsonObject): Block {
  if (input === "at start" || input === "text at start") return { block, deltas: [] };
  const json = JSON.stringify(block["input"]);
  const pieces = input === "one piece" ? [json] : ["", ...piecesOf(json)];
  return {
    block: { ...block, input: {} },
    deltas: pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
  };
}

function idOf({ ids }: Form, position: number): JsonObject {
  if (ids === "missing") return {};
  return { id: ids === "empty" ? "" : `toolu_${position}` };
}

function finishOf(form: Form, { end, calls }: Answer): string | null {
  if (end === "length") return form.length ?? "max_tokens";
  if (end === "filtered") return form.filtered ?? "refusal";
  return calls.length > 0 ? form.calls : form.stop;
}

function usageOf({ usage }: Answer, output: number): JsonObject {
  return {
    input_tokens: usage.prompt - usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens: output + (output === 1 ? 0 : usage.thoughts),
  };
}

function lastUsageOf(form: Form, answer: Answer): JsonObject {
  const { output_tokens, ...input } = usageOf(answer, answer.usage.output);
  const output = answer.usage.output === 1 ? 1 + answer.usage.thoughts : (output_tokens ?? 0);
  if (form.usage === "both") return { output_tokens: output };
  return { ...input, output_tokens: output, ...(form.usage === "nulls" && { cache_creation_input_tokens: null }) };
}

/** What the API refuses. */
function refuseClaude(body: JsonObject): Refusal | undefined {
  const messages = listOf(body["messages"]);
  if (body["max_tokens"] === undefined) return { status: 400, message: "max_tokens: Field required" };
  if (messages[0]?.["role"] !== "user")
    return { status: 400, message: "messages: first message must use the user role" };
  for (const [index, message] of messages.entries()) {
    const previous = messages[index - 1];
    if (previous !== undefined && previous["role"] === message["role"])
      return { status: 400, message: `messages.${index}: roles must alternate` };
    const refused = refuseBlocks(listOf(message["content"]), listOf(previous?.["content"]));
    if (refused !== undefined) return { status: 400, message: `messages.${index}: ${refused}` };
  }
  return toolRefusal("claude", body);
}

function refuseBlocks(blocks: readonly JsonObject[], before: readonly JsonObject[]): string | undefined {
  if (blocks.length === 0) return "content must not be empty";
  if (blocks.some(({ type, text }) => type === "text" && String(text).trim() === ""))
    return "text content blocks must be non-empty";
  const results = new Set(blocks.map(({ tool_use_id }) => tool_use_id));
  const missing = before.find(({ type, id }) => type === "tool_use" && !results.has(id ?? null));
  return missing === undefined
    ? undefined
    : `tool_use ids were found without tool_result blocks: ${String(missing["id"])}`;
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
