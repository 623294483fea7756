import type {
  EasyInputMessage,
  FunctionTool,
  ResponseCreateParams,
  ResponseFunctionCallOutputItemList,
  ResponseInputContent,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import type { Blob, Content, Part } from "#kit/events/content.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import {
  callingMode,
  codeResultText,
  codeText,
  decodeText,
  numberedCall,
  refuseModelTools,
  requiredData,
  responseId,
  responseMedia,
  responseText,
} from "#kit/models/message-parts.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";
import { isJsonObject } from "#kit/platform/json.ts";

/** How requests are kept at the provider. */
export interface ResponsesStorage {
  /** The provider stores the response, and knows its reasoning by the item's id. */
  readonly store: boolean;
  /** The model's reasoning comes encrypted, to be sent back; not with models that have none. */
  readonly encrypts: boolean;
}

/** The request of OpenAI's Responses API. */
export function toResponsesRequest(
  request: WireRequest,
  { store, encrypts }: ResponsesStorage,
): Omit<ResponseCreateParams, "stream"> {
  refuseModelTools(request);
  const { config, functionDeclarations, systemInstruction } = request;
  return {
    model: request.model,
    input: request.contents.flatMap((content) => toItems(content, store)),
    store,
    ...(!store && encrypts && { include: ["reasoning.encrypted_content"] }),
    instructions: systemInstruction === "" ? undefined : systemInstruction,
    temperature: config.temperature,
    top_p: config.topP,
    max_output_tokens: config.maxOutputTokens,
    ...(functionDeclarations.length > 0 && { tools: functionDeclarations.map(toTool), ...toolChoice(request) }),
    ...textFormat(request),
    ...reasoning(request),
  };
}

function toItems({ role, parts = [] }: Content, store: boolean): ResponseInputItem[] {
  return role === "model" ? parts.flatMap((part) => modelItems(part, store)) : userItems(parts);
}

function modelItems(part: Part, store: boolean): ResponseInputItem[] {
  if (part.thought === true) return reasoningItems(part, store);
  if (part.functionCall !== undefined) {
    const { id, name, args } = numberedCall(part.functionCall);
    return [{ type: "function_call", call_id: id, name, arguments: JSON.stringify(args) }];
  }
  // The model's own messages can only contain text; the note keeps the model aware of the file.
  const text = part.inlineData === undefined ? textOfPart(part) : `[${part.inlineData.mimeType ?? "file"}]`;
  return text === "" ? [] : [{ role: "assistant", content: text }];
}

/** Reasoning goes back as it came: encrypted, or by the id of what the provider has stored. */
function reasoningItems({ text = "", partMetadata }: Part, store: boolean): ResponseInputItem[] {
  const mark = partMetadata?.["openAi"];
  const item = isJsonObject(mark) ? mark["reasoning"] : undefined;
  if (!isJsonObject(item) || typeof item["id"] !== "string") return [];
  const { id, encrypted } = item;
  if (typeof encrypted !== "string" && !store) return [];
  return [
    {
      type: "reasoning",
      id,
      summary: text === "" ? [] : [{ type: "summary_text", text }],
      ...(typeof encrypted === "string" && { encrypted_content: encrypted }),
    },
  ];
}

function userItems(parts: readonly Part[]): ResponseInputItem[] {
  const outputs: ResponseInputItem[] = [];
  const said: ResponseInputContent[] = [];
  for (const part of parts) {
    const { functionResponse } = part;
    if (functionResponse === undefined) {
      said.push(...inputOf(part));
      continue;
    }
    const media = responseMedia(functionResponse).flatMap(inputOf);
    const text = responseText(functionResponse);
    // The protocol has the same contents in outputs of functions.
    const output: string | ResponseFunctionCallOutputItemList =
      media.length === 0 ? text : ([{ type: "input_text", text }, ...media] as ResponseFunctionCallOutputItemList);
    outputs.push({ type: "function_call_output", call_id: responseId(functionResponse), output });
  }
  const message: EasyInputMessage = { role: "user", content: said };
  return said.length === 0 ? outputs : [...outputs, message];
}

function inputOf(part: Part): ResponseInputContent[] {
  if (part.thought === true) return [];
  if (part.inlineData !== undefined) return [mediaOf(part.inlineData)];
  if (part.fileData !== undefined) {
    const { fileUri = "", mimeType = "" } = part.fileData;
    return [
      mimeType.startsWith("image/")
        ? { type: "input_image", image_url: fileUri, detail: "auto" }
        : { type: "input_file", file_url: fileUri },
    ];
  }
  const text = textOfPart(part);
  return text === "" ? [] : [{ type: "input_text", text }];
}

function mediaOf(blob: Blob): ResponseInputContent {
  const { mimeType, data } = requiredData(blob);
  if (mimeType.startsWith("text/") || mimeType === "application/json")
    return { type: "input_text", text: decodeText(data) };
  const address = `data:${mimeType};base64,${data}`;
  if (mimeType.startsWith("image/")) return { type: "input_image", image_url: address, detail: "auto" };
  return { type: "input_file", file_data: address, filename: blob.displayName ?? "file" };
}

function textOfPart({ text, executableCode, codeExecutionResult }: Part): string {
  if (executableCode !== undefined) return codeText(executableCode);
  if (codeExecutionResult !== undefined) return codeResultText(codeExecutionResult);
  return text ?? "";
}

function toTool({ name, description, parameters }: FunctionDeclaration): FunctionTool {
  return {
    type: "function",
    name,
    description,
    parameters: { ...(parameters ?? { type: "object", properties: {} }) },
    strict: false,
  };
}

function toolChoice(request: WireRequest): Pick<ResponseCreateParams, "tool_choice"> {
  const { mode, only } = callingMode(request);
  if (mode === "ANY") return { tool_choice: only === undefined ? "required" : { type: "function", name: only } };
  return mode === "NONE" ? { tool_choice: "none" } : {};
}

function textFormat({ config, strictOutput }: WireRequest): Pick<ResponseCreateParams, "text"> {
  const { responseSchema, responseMimeType } = config;
  if (responseSchema !== undefined)
    return {
      text: { format: { type: "json_schema", name: "response", schema: { ...responseSchema }, strict: strictOutput } },
    };
  return responseMimeType === "application/json" ? { text: { format: { type: "json_object" } } } : {};
}

function reasoning({ config }: WireRequest): Pick<ResponseCreateParams, "reasoning"> {
  const { thinkingLevel, includeThoughts } = config.thinkingConfig ?? {};
  const level = typeof thinkingLevel === "string" ? thinkingLevel.toLowerCase() : "";
  const effort = level === "minimal" || level === "low" || level === "medium" || level === "high" ? level : undefined;
  const summary = includeThoughts === true ? ("auto" as const) : undefined;
  return effort === undefined && summary === undefined ? {} : { reasoning: { effort, summary } };
}
