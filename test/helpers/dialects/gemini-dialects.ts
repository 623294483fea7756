import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { type Answer, piecesOf } from "./answer.ts";
import { type Dialect, type Framing, type Refusal, writtenStream } from "./dialect.ts";
import { toolRefusal } from "./tool-refusals.ts";

/** How one kind of server of Gemini's API writes its answers. */
interface Form {
  readonly name: string;
  readonly ids: boolean;
  /** Where token counts are. */
  readonly usage: "each chunk" | "last chunk" | "none";
  /** The reason is in a chunk of its own, with or without content. */
  readonly finish: "with the last part" | "alone" | "alone, with an empty text";
  readonly role: boolean;
  /** A call without arguments has no `args`, or has `null`. */
  readonly noArgs: "empty" | "missing" | "null";
  /** All calls in one chunk. */
  readonly together: boolean;
  /** Members that are absent are null. */
  readonly nulls?: boolean;
  readonly extras?: JsonObject;
  /** Names of members as Python has them, and words in lower case. */
  readonly snakeCase?: boolean;
  readonly framing?: Framing;
}

const GEMINI: Omit<Form, "name"> = {
  ids: false,
  usage: "each chunk",
  finish: "with the last part",
  role: true,
  noArgs: "empty",
  together: false,
};

const FORMS: readonly Form[] = [
  { ...GEMINI, name: "Gemini", ids: true, extras: { responseId: "r1" } },
  { ...GEMINI, name: "Gemini, with the reason alone", finish: "alone, with an empty text", together: true },
  {
    ...GEMINI,
    name: "Vertex AI",
    usage: "last chunk",
    extras: { createTime: "2026-01-01T00:00:00Z", responseId: "r1" },
  },
  { ...GEMINI, name: "Vertex AI, without arguments", finish: "alone", noArgs: "missing" },
  { ...GEMINI, name: "a gateway to Gemini", usage: "none", role: false, noArgs: "null" },
  { ...GEMINI, name: "a gateway to Gemini that writes nulls", nulls: true, noArgs: "null", finish: "alone" },
  {
    ...GEMINI,
    name: "a gateway to Gemini in Python",
    snakeCase: true,
    framing: { tight: true, comments: "ping", empty: true, end: "[DONE]" },
  },
  {
    ...GEMINI,
    name: "a gateway to Gemini that sends a list",
    framing: { as: "list", contentType: "application/json" },
    extras: { responseId: "r1" },
  },
];

export const GEMINI_DIALECTS: readonly Dialect[] = FORMS.map((form) => ({
  name: form.name,
  model: "gemini-3-flash",
  refuse: refuseGemini,
  reports: {
    thoughts: true,
    usage: form.usage !== "none",
    thoughtTokens: true,
    cachedTokens: true,
    ids: form.ids,
    signatures: true,
    manyCalls: true,
  },
  write: (answer, { model, stream }) =>
    stream
      ? writtenStream(
          chunksOf(form, answer, model).map((chunk) => written(form, chunk)),
          form.framing ?? { lineEnd: "\r\n" },
        )
      : { contentType: "application/json", body: JSON.stringify(written(form, wholeOf(form, answer, model))) },
}));

/** Members of the protocol's objects that its answers rarely have. */
const OPTIONAL = {
  chunk: ["promptFeedback", "usageMetadata", "modelVersion", "responseId"],
  candidate: ["content", "finishReason", "finishMessage", "safetyRatings", "citationMetadata", "groundingMetadata"],
  part: ["text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData", "fileData"],
  call: ["id", "args"],
  usage: ["thoughtsTokenCount", "cachedContentTokenCount", "toolUsePromptTokenCount"],
} as const;

function written({ nulls = false, snakeCase = false }: Form, chunk: JsonObject): JsonObject {
  if (snakeCase) return inSnakeCase(chunk);
  if (!nulls) return chunk;
  const { candidates, usageMetadata } = chunk;
  const [candidate] = Array.isArray(candidates) ? candidates.filter(isJsonObject) : [];
  const { content } = candidate ?? {};
  const parts = isJsonObject(content) && Array.isArray(content["parts"]) ? content["parts"].filter(isJsonObject) : [];
  const written = parts.map((part) => {
    const { functionCall } = part;
    return withNulls(
      "part",
      isJsonObject(functionCall) ? { ...part, functionCall: withNulls("call", functionCall) } : part,
    );
  });
  return withNulls("chunk", {
    ...chunk,
    candidates: [
      withNulls("candidate", {
        ...candidate,
        ...(content !== undefined && { content: { role: null, parts: written } }),
      }),
    ],
    ...(isJsonObject(usageMetadata) && { usageMetadata: withNulls("usage", usageMetadata) }),
  });
}

function inSnakeCase(value: JsonObject): JsonObject {
  const written = (name: string, member: JsonValue): JsonValue => {
    if (name === "finishReason") return String(member).toLowerCase();
    if (name === "args") return member;
    if (Array.isArray(member)) return member.map((one) => (isJsonObject(one) ? inSnakeCase(one) : one));
    return isJsonObject(member) ? inSnakeCase(member) : member;
  };
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      written(name, member),
    ]),
  );
}

function withNulls(kind: keyof typeof OPTIONAL, value: JsonObject): JsonObject {
  return { ...Object.fromEntries(OPTIONAL[kind].map((name) => [name, null])), ...value };
}

function chunksOf(form: Form, answer: Answer, model: string): readonly JsonObject[] {
  const calls = callParts(form, answer);
  const texts = [
    ...piecesOf(answer.thought).map((text) => ({ text, thought: true })),
    ...piecesOf(answer.text).map((text) => ({ text })),
  ];
  const groups: JsonObject[][] = [
    ...texts.map((part) => [part]),
    ...(form.together ? [calls] : calls.map((part) => [part])),
  ].filter((parts) => parts.length > 0);
  if (form.finish === "alone, with an empty text") groups.push([{ text: "" }]);
  const lasts = form.finish === "alone" ? [...groups, undefined] : groups;
  return lasts.map((parts, index) => {
    const isLast = index === lasts.length - 1;
    const withUsage = form.usage === "each chunk" || (form.usage === "last chunk" && isLast);
    return chunkOf(
      form,
      { parts, finishReason: isLast ? finishOf(answer) : undefined, model },
      withUsage ? usageOf(answer, isLast) : undefined,
    );
  });
}

function wholeOf(form: Form, answer: Answer, model: string): JsonObject {
  const parts = [
    ...(answer.thought === "" ? [] : [{ text: answer.thought, thought: true }]),
    ...(answer.text === "" ? [] : [{ text: answer.text }]),
    ...callParts(form, answer),
  ];
  const usage = form.usage === "none" ? undefined : usageOf(answer, true);
  return chunkOf(form, { parts, finishReason: finishOf(answer), model }, usage);
}

function chunkOf(
  { role, extras }: Form,
  { parts, finishReason, model }: { parts: JsonObject[] | undefined; finishReason: string | undefined; model: string },
  usageMetadata: JsonObject | undefined,
): JsonObject {
  return {
    candidates: [
      {
        ...(parts !== undefined && { content: { ...(role && { role: "model" }), parts } }),
        ...(finishReason !== undefined && { finishReason }),
        index: 0,
      },
    ],
    ...(usageMetadata !== undefined && { usageMetadata }),
    modelVersion: model,
    ...extras,
  };
}

function callParts({ ids, noArgs }: Form, { calls }: Answer): JsonObject[] {
  return calls.map(({ name, args, signature }, index) => ({
    functionCall: {
      ...(ids && { id: `call_${index}` }),
      name,
      ...argsOf(noArgs, args),
    },
    ...(signature !== undefined && { thoughtSignature: signature }),
  }));
}

function argsOf(noArgs: Form["noArgs"], args: JsonObject): JsonObject {
  if (Object.keys(args).length > 0 || noArgs === "empty") return { args };
  return noArgs === "null" ? { args: null } : {};
}

function finishOf({ end }: Answer): string {
  return { done: "STOP", length: "MAX_TOKENS", filtered: "SAFETY" }[end];
}

/** Counts grow with the stream; an answer that has only thoughts until now has no count of its own. */
function usageOf({ usage }: Answer, isLast: boolean): JsonObject {
  const { prompt, output, thoughts, cached } = usage;
  if (!isLast) return { promptTokenCount: prompt, totalTokenCount: prompt };
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output,
    totalTokenCount: prompt + output + thoughts,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
  };
}

function refuseGemini(body: JsonObject): Refusal | undefined {
  const contents = listOf(body["contents"]);
  const last = contents.at(-1);
  if (last?.["role"] !== "user")
    return { status: 400, message: "Please ensure that multiturn requests end with a user role" };
  const empty = contents.findIndex((content) => listOf(content["parts"]).length === 0);
  if (empty !== -1) return { status: 400, message: `contents[${empty}].parts must not be empty` };
  return toolRefusal("gemini", body);
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
