import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { type Answer, piecesOf } from "./answer.ts";
import { type Dialect, type WrittenAnswer, writtenStream } from "./dialect.ts";
import { OPENAI_FORMS, type OpenAiForm } from "./openai-forms.ts";
import { protocolRefusal } from "./openai-refusals.ts";
import { toolRefusal } from "./tool-refusals.ts";

export const OPENAI_DIALECTS: readonly Dialect[] = OPENAI_FORMS.map(toDialect);

function toDialect(form: OpenAiForm): Dialect {
  const { name, model = "house-model", ids, usage, countsThoughts, refuse } = form;
  return {
    name,
    model,
    refuse: (body) => protocolRefusal(body) ?? toolRefusal("openai", body) ?? refuse?.(body),
    reports: {
      thoughts: true,
      usage: usage !== "none",
      thoughtTokens: countsThoughts !== "hidden",
      cachedTokens: true,
      ids: ids === "own" || ids === "on each piece" || ids === "numbers",
      signatures: form.signs === true,
      manyCalls: form.arguments !== "legacy",
    },
    write: (answer, { stream, model: name }) =>
      stream && form.whole !== "as a stream"
        ? streamOf(form, answer, name)
        : { contentType: "application/json", body: JSON.stringify(wholeOf(form, answer, name)) },
  };
}

function streamOf(form: OpenAiForm, answer: Answer, model: string): WrittenAnswer {
  const deltas: JsonObject[] = [
    { role: "assistant", ...(form.nulls === true ? { content: "", refusal: null } : {}) },
    ...thoughtDeltas(form, answer),
    ...(form.thoughts === "tags" && answer.thought !== "" ? [] : textDeltas(form, answer.text)),
    ...callDeltas(form, answer),
  ];
  const head = headOf(form, model, "chat.completion.chunk");
  const usage = usageOf(form, answer);
  const chunks: JsonObject[] = deltas.map((delta) => ({
    ...head,
    choices: [
      { index: 0, delta: withNulls(form, delta), ...(form.nulls === true && { finish_reason: null, logprobs: null }) },
    ],
    ...(form.nulls === true && { usage: null }),
    ...(form.usage === "each chunk" && { usage }),
  }));
  const last: JsonObject = {
    ...head,
    choices: [
      {
        index: 0,
        delta: form.nulls === true ? { content: null, tool_calls: null } : {},
        finish_reason: finishOf(form, answer),
        ...(form.usage === "choice" && { usage }),
      },
    ],
    ...((form.usage === "last chunk" || form.usage === "each chunk") && { usage }),
    ...(form.usage === "x_groq" && { x_groq: { id: "req_1", usage } }),
  };
  const events = [
    ...(form.preamble === undefined ? [] : [form.preamble]),
    ...chunks,
    last,
    ...(form.usage === "own chunk" ? [{ ...head, choices: [], usage }] : []),
    ...(form.repeats === true ? [wholeOf(form, answer, model)] : []),
    ...(form.done === false ? [] : ["[DONE]"]),
  ];
  return writtenStream(events, form.framing ?? {});
}

function wholeOf(form: OpenAiForm, answer: Answer, model: string): JsonObject {
  const usage = usageOf(form, answer);
  const calls = answer.calls.map((call, index) => ({
    ...idOf(form, index, true),
    type: "function",
    ...(form.index === "missing" ? {} : { index: indexOf(form, index) }),
    function: { name: call.name, arguments: argumentsOf(form, call.args) },
    ...signatureOf(form, call.signature),
  }));
  const text = form.thoughts === "tags" && answer.thought !== "" ? tagged(answer) : answer.text;
  const message: JsonObject = {
    role: "assistant",
    ...(form.thoughts === "list"
      ? { content: [...thinkingList(answer.thought), ...textList(text)] }
      : { content: contentOf(form, text) }),
    ...thoughtMembers(form, answer.thought),
    ...(calls.length > 0 && form.arguments !== "legacy" && { tool_calls: calls }),
    ...(form.arguments === "legacy" && calls[0] !== undefined && { function_call: calls[0].function }),
  };
  return {
    ...headOf(form, model, "chat.completion"),
    choices: [
      {
        index: 0,
        message: withNulls(form, message),
        finish_reason: finishOf(form, answer),
        ...(form.usage === "choice" && { usage }),
      },
    ],
    ...(form.usage === "x_groq" && { x_groq: { usage } }),
    ...(form.usage !== "none" && form.usage !== "choice" && form.usage !== "x_groq" && { usage }),
  };
}

function headOf(form: OpenAiForm, model: string, object: string): JsonObject {
  const isBare = form.usage === "none" && form.done === false;
  return isBare ? {} : { id: "chatcmpl-1", object, created: 1_760_000_000, model };
}

function withNulls(form: OpenAiForm, members: JsonObject): JsonObject {
  return form.nulls === true ? { content: null, refusal: null, audio: null, function_call: null, ...members } : members;
}

function thoughtMembers({ thoughts }: OpenAiForm, text: string): JsonObject {
  if (text === "") return {};
  switch (thoughts) {
    case "reasoning_content":
      return { reasoning_content: text };
    case "reasoning":
      return { reasoning: text };
    case "both":
      return { reasoning_content: text, reasoning: text };
    case "details":
      return { reasoning: text, reasoning_details: [{ type: "reasoning.text", text, format: "unknown", index: 0 }] };
    default:
      return {};
  }
}

function thoughtDeltas(form: OpenAiForm, answer: Answer): readonly JsonObject[] {
  if (answer.thought === "") return [];
  if (form.thoughts === "tags") return piecesOf(tagged(answer)).map((content) => ({ content }));
  const pieces = piecesOf(answer.thought);
  if (form.thoughts === "list") return pieces.map((text) => ({ content: thinkingList(text) }));
  return pieces.map((text) => thoughtMembers(form, text));
}

function tagged({ thought, text }: Answer): string {
  return `<think>\n${thought}\n</think>\n\n${text}`;
}

function thinkingList(text: string): JsonObject[] {
  return text === "" ? [] : [{ type: "thinking", thinking: [{ type: "text", text }], closed: true }];
}

function textList(text: string): JsonObject[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function contentOf(form: OpenAiForm, text: string): JsonValue {
  if (form.lists === true) return textList(text);
  return text === "" && form.nulls !== true ? null : text;
}

function textDeltas(form: OpenAiForm, text: string): readonly JsonObject[] {
  return piecesOf(text).map((piece) => ({ content: contentOf(form, piece) }));
}

function callDeltas(form: OpenAiForm, { calls }: Answer): readonly JsonObject[] {
  if (form.arguments === "legacy")
    return calls
      .slice(0, 1)
      .flatMap(({ name, args }) => [
        { function_call: { name, arguments: "" } },
        ...piecesOf(JSON.stringify(args)).map((piece) => ({ function_call: { arguments: piece } })),
      ]);
  return calls.flatMap(({ name, args, signature }, index) => {
    const json = argumentsOf({ ...form, arguments: "pieces" }, args) as string;
    const first = {
      ...(form.index === "missing" ? {} : { index: indexOf(form, index) }),
      ...idOf(form, index, true),
      type: "function",
      ...signatureOf(form, signature),
    };
    const isWhole = ["whole", "object", "text of a text"].includes(form.arguments);
    if (isWhole) return [toolCall({ ...first, function: { name, arguments: argumentsOf(form, args) } })];
    if (form.arguments === "so far")
      return [6, 12, json.length].map((end) =>
        toolCall({ ...first, function: { name, arguments: json.slice(0, end) } }),
      );
    if (form.arguments === "name in pieces") {
      const [begin = "", ...rest] = piecesOf(name).map((piece) => ({ name: piece }));
      const deltas = [begin, ...rest, ...piecesOf(json).map((piece) => ({ arguments: piece }))];
      return deltas.map((piece) => toolCall({ ...first, function: piece === "" ? {} : piece }));
    }
    const pieces = piecesOf(json);
    const [begin = "", ...rest] = form.arguments === "named" ? pieces : ["", ...pieces];
    const begun: JsonObject = form.arguments === "name first" ? { name } : { name, arguments: begin };
    return [
      toolCall({ ...first, function: begun }),
      ...rest.map((piece) =>
        toolCall({
          ...(form.index === "missing" ? {} : { index: indexOf(form, index) }),
          ...idOf(form, index, false),
          function: { ...(form.arguments === "named" && { name }), arguments: piece },
        }),
      ),
    ];
  });
}

/** The arguments as a server writes them: as text, as the text of a text, or as they are. */
function argumentsOf(form: OpenAiForm, args: JsonObject): JsonValue {
  if (form.arguments === "object") return args;
  const json = JSON.stringify(args);
  if (form.arguments === "text of a text") return JSON.stringify(json);
  return Object.keys(args).length === 0 ? (form.noArguments ?? json) : json;
}

function toolCall(call: JsonObject): JsonObject {
  return { tool_calls: [call] };
}

function indexOf({ index }: OpenAiForm, position: number): number {
  return index === "zero" ? 0 : position + (index === "from one" ? 1 : 0);
}

let changes = 0;

function idOf({ ids, nulls }: OpenAiForm, position: number, isFirst: boolean): JsonObject {
  switch (ids) {
    case "own":
      if (isFirst) return { id: `callABCD${position}` };
      return nulls === true ? { id: null } : {};
    case "on each piece":
      return { id: `callABCD${position}` };
    case "same for all":
      return { id: "call_x" };
    case "changing":
      changes += 1;
      return { id: `call_${position}_${changes}` };
    case "numbers":
      return { id: position };
    case "empty":
      return { id: "" };
    case "null":
      return { id: null };
    default:
      return {};
  }
}

function signatureOf({ signs }: OpenAiForm, signature: string | undefined): JsonObject {
  return signs === true && signature !== undefined
    ? { extra_content: { google: { thought_signature: signature } } }
    : {};
}

function finishOf(form: OpenAiForm, { end, calls }: Answer): string | null {
  if (end === "length") return form.length ?? "length";
  if (end === "filtered") return form.filtered ?? "content_filter";
  return calls.length > 0 ? form.calls : form.stop;
}

function usageOf({ countsThoughts, cached: member, countsAreTexts }: OpenAiForm, { usage }: Answer): JsonObject {
  const { prompt, output, thoughts, cached } = usage;
  const completion = countsThoughts === "outside" ? output : output + thoughts;
  return {
    prompt_tokens: countsAreTexts === true ? `${prompt}.0` : prompt,
    completion_tokens: countsAreTexts === true ? String(completion) : completion,
    total_tokens: prompt + output + thoughts,
    ...(countsThoughts !== "hidden" && { completion_tokens_details: { reasoning_tokens: thoughts } }),
    ...(member === "prompt_tokens_details"
      ? { prompt_tokens_details: { cached_tokens: cached } }
      : { [member]: cached }),
  };
}
