import type { Content, Part } from "#kit/events/content.ts";
import { CONTENT_WITHHELD } from "#kit/llm-agent/base/model-attributes.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { SpanAttributes, SpanRecord } from "#kit/telemetry/span.ts";

const REQUEST = "gcp.vertex.agent.llm_request";
const RESPONSE = "gcp.vertex.agent.llm_response";
const ARGUMENTS = "gcp.vertex.agent.tool_call_args";
const RESULT = "gcp.vertex.agent.tool_response";
/** ADK's attributes with content, which exported spans have under the names of the conventions, or not at all. */
export const CONTENT_KEYS: ReadonlySet<string> = new Set([REQUEST, RESPONSE, ARGUMENTS, RESULT]);

/** The span without what was said; readers of ADK's attributes find that it was withheld. */
export function withoutContent(span: SpanRecord): SpanRecord {
  const { attributes } = span;
  if (!(REQUEST in attributes || ARGUMENTS in attributes)) return span;
  const { [RESULT]: _, ...kept } = attributes;
  for (const key of [REQUEST, RESPONSE, ARGUMENTS]) if (key in kept) Object.assign(kept, { [key]: CONTENT_WITHHELD });
  return { ...span, attributes: kept };
}

/** The span with its content in the form of the conventions, each value as its JSON. */
export function withContent(span: SpanRecord): SpanRecord {
  const content = Object.entries(contentOf(span)).map(([key, value]) => [key, JSON.stringify(value)] as const);
  if (content.length === 0) return span;
  return { ...span, attributes: { ...span.attributes, ...Object.fromEntries(content) } };
}

/**
 * What was said in a model or tool call, as the GenAI conventions v0.1.0 name and form it: messages with parts,
 * instructions, tools. Empty for other spans, and where content is withheld.
 */
export function contentOf({ attributes }: SpanRecord): Readonly<Record<string, JsonValue>> {
  const content: Record<string, JsonValue> = {};
  const request = read(attributes, REQUEST);
  if (request !== undefined) Object.assign(content, ofRequest(request));
  const answer = read(attributes, RESPONSE)?.["content"];
  if (isJsonObject(answer)) content["gen_ai.output.messages"] = [ofAnswer(answer, attributes)];
  const args = read(attributes, ARGUMENTS);
  const result = attributes[RESULT];
  // A call without arguments looks like a withheld one, but a recorded call also has its response.
  if (args !== undefined || result !== undefined) content["gen_ai.tool.call.arguments"] = args ?? {};
  if (typeof result === "string") content["gen_ai.tool.call.result"] = JSON.parse(result);
  return content;
}

function read(attributes: SpanAttributes, key: string): JsonObject | undefined {
  const text = attributes[key];
  if (typeof text !== "string" || text === CONTENT_WITHHELD) return undefined;
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : undefined;
}

function ofRequest({ contents, config }: JsonObject): Readonly<Record<string, JsonValue>> {
  const { systemInstruction, tools } = isJsonObject(config) ? config : {};
  const declared = Array.isArray(tools) ? Object(tools[0]).functionDeclarations : undefined;
  return {
    // The kit itself has written the request.
    "gen_ai.input.messages": ((contents ?? []) as readonly Content[]).map(toMessage),
    ...(typeof systemInstruction === "string" && {
      "gen_ai.system_instructions": [{ type: "text", content: systemInstruction }],
    }),
    ...(Array.isArray(declared) &&
      declared.length > 0 && {
        "gen_ai.tool.definitions": declared.map((tool: JsonObject) => ({ type: "function", ...tool })),
      }),
  };
}

function toMessage({ role, parts = [] }: Content): JsonObject {
  const isOfTools = parts.length > 0 && parts.every(({ functionResponse }) => functionResponse !== undefined);
  const speaker = role === "model" ? "assistant" : "user";
  return { role: isOfTools ? "tool" : speaker, parts: parts.map(toPart) };
}

/** Finish reasons of the conventions by the kit's. */
const FINISH_REASONS: Readonly<Record<string, string>> = { max_tokens: "length", safety: "content_filter" };

function ofAnswer(content: Content, attributes: SpanAttributes): JsonObject {
  const [reason] = (attributes["gen_ai.response.finish_reasons"] ?? []) as readonly string[];
  const hasCalls = content.parts?.some(({ functionCall }) => functionCall !== undefined) === true;
  const named = reason === undefined ? "stop" : (FINISH_REASONS[reason] ?? reason);
  return {
    ...toMessage({ ...content, role: "model" }),
    finish_reason: hasCalls && named === "stop" ? "tool_call" : named,
  };
}

function toPart(part: Part): JsonObject {
  const { text, thought, functionCall, functionResponse, inlineData, fileData } = part;
  if (text !== undefined) return { type: thought === true ? "reasoning" : "text", content: text };
  if (functionCall !== undefined) {
    const { id, name = "", args = {} } = functionCall;
    return { type: "tool_call", ...(id !== undefined && { id }), name, arguments: args };
  }
  if (functionResponse !== undefined) {
    const { id, response = {} } = functionResponse;
    return { type: "tool_call_response", ...(id !== undefined && { id }), response };
  }
  const mimeType = inlineData?.mimeType ?? fileData?.mimeType ?? "";
  const media = { mime_type: mimeType, modality: modalityOf(mimeType) };
  if (inlineData !== undefined) return { type: "blob", ...media, content: inlineData.data ?? "" };
  if (fileData !== undefined) return { type: "uri", ...media, uri: fileData.fileUri ?? "" };
  return { type: Object.keys(part)[0] ?? "empty" };
}

function modalityOf(mimeType: string): string {
  const [kind = ""] = mimeType.split("/");
  return ["image", "video", "audio"].includes(kind) ? kind : "document";
}
