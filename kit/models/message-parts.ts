import { GenAiFieldMissingException } from "../errors/kit-errors.ts";
import { PlatformError } from "../errors/platform-error.ts";
import type {
  Blob,
  CodeExecutionResult,
  ExecutableCode,
  FunctionCall,
  FunctionResponse,
  Part,
} from "../events/content.ts";
import { isJsonObject, type JsonObject } from "../platform/json.ts";
import type { GenerateContentConfig } from "./llm-request.ts";

/** A call for providers that identify calls by id. */
export interface NumberedCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

export function numberedCall(call: FunctionCall): NumberedCall {
  const name = required(call.name, "functionCall.name");
  return { id: required(call.id, `functionCall.id of ${name}`), name, args: call.args ?? {} };
}

export function responseId(response: FunctionResponse): string {
  return required(response.id, `functionResponse.id of ${response.name ?? "a function"}`);
}

/** A tool's response as text: the bare result if there is nothing else. */
export function responseText({ response = {} }: FunctionResponse): string {
  const keys = Object.keys(response);
  const result = response["result"];
  // Providers refuse a blank text.
  return keys.length === 1 && typeof result === "string" && result.trim() !== "" ? result : JSON.stringify(response);
}

/** Media that a tool returned in addition to its response. */
export function responseMedia({ parts = [] }: FunctionResponse): readonly Part[] {
  // The type leaves the form of the parts open; they are parts.
  return parts.filter((part) => "inlineData" in part || "fileData" in part) as readonly Part[];
}

export function requiredData(blob: Blob): { readonly mimeType: string; readonly data: string } {
  return {
    mimeType: required(blob.mimeType, "inlineData.mimeType").toLowerCase(),
    data: required(blob.data, "inlineData.data"),
  };
}

export function decodeText(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

export function codeText({ language, code }: ExecutableCode): string {
  return `\`\`\`${(language ?? "").toLowerCase()}\n${code ?? ""}\n\`\`\``;
}

export function codeResultText({ outcome, output }: CodeExecutionResult): string {
  return `\`\`\`${outcome === undefined || outcome === "OUTCOME_OK" ? "output" : "error"}\n${output ?? ""}\n\`\`\``;
}

/** Tools that run inside a model exist for Gemini only; omitting them silently would change what the agent can do. */
export function refuseModelTools({
  config,
  model,
}: {
  readonly config: GenerateContentConfig;
  readonly model: string;
}): void {
  const names = (config.modelTools ?? []).flatMap((tool) => Object.keys(tool));
  if (names.length === 0) return;
  throw new PlatformError(
    "MODEL_BAD_REQUEST",
    `Model "${model}" has no built-in ${names.join(", ")}. Remove the tool or use a Gemini model.`,
  );
}

/** Which tools the model must or may call. */
export function callingMode({ config }: { readonly config: GenerateContentConfig }): {
  readonly mode: string;
  readonly only: string | undefined;
} {
  const calling = config.toolConfig?.["functionCallingConfig"];
  if (!isJsonObject(calling)) return { mode: "", only: undefined };
  const allowed = calling["allowedFunctionNames"];
  const [first, ...others] = Array.isArray(allowed) ? allowed : [];
  return {
    mode: String(calling["mode"] ?? ""),
    only: typeof first === "string" && others.length === 0 ? first : undefined,
  };
}

function required(value: string | undefined, field: string): string {
  if (value === undefined || value === "") throw new GenAiFieldMissingException(`A required field is empty: ${field}.`);
  return value;
}
