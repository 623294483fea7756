import type { Content, Part } from "#kit/events/content.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** Prefixes of contents that a framework adds by itself. */
const FRAMEWORK_TEXT = /^(?:For context:|```tool_output|Artifact )/;

/** Index of the user's newest message, or -1. */
export function userIndex(contents: readonly Content[]): number {
  return contents.findLastIndex(({ role, parts }) => {
    const text = parts?.[0]?.text ?? "";
    return role === "user" && text !== "" && !FRAMEWORK_TEXT.test(text);
  });
}

/** A late answer to a call, as the kit tells it. */
const LATE_ANSWER = /^The tool `(\w+)`, called earlier, now answers: (.*)$/s;

/**
 * The contents in the recorded server's order: it puts a late answer in the place of the earlier one, and leaves out what
 * was said since, where the kit keeps that and tells the answer at the end.
 */
export function inRecordedOrder(contents: readonly Content[]): readonly Content[] {
  return contents.reduce<readonly Content[]>((before, content) => {
    const [, name, json = ""] = LATE_ANSWER.exec(content.parts?.[0]?.text ?? "") ?? [];
    const at = before.findLastIndex(({ parts }) =>
      parts?.some(({ functionResponse }) => functionResponse?.name === name),
    );
    if (name === undefined || at === -1) return [...before, content];
    const late = before[at]?.parts?.map((part) =>
      part.functionResponse?.name === name
        ? { functionResponse: { ...part.functionResponse, response: JSON.parse(json) } }
        : part,
    );
    return [...before.slice(0, at), { ...before[at], parts: late ?? [] }];
  }, []);
}

/** JSON with sorted keys and no spaces. */
export function canonicalJson(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => canonicalJson(item)).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}

/** Fills `${…}` words in a text of the script. */
export function fillWords(text: string, request: LlmRequest, contents: readonly Content[], user: string): string {
  const words: Readonly<Record<string, () => string>> = {
    user: () => user,
    system: () => request.systemInstruction,
    tools: () => [...request.tools.keys()].sort().join(","),
    responses: () => responses(contents.at(-1)),
    dump: () => contents.map(dumpContent).join(" / "),
    schema: () => (request.config.responseSchema === undefined ? "no" : "yes"),
  };
  return text.replaceAll(/\$\{(\w+)\}/g, (match, word: string) => words[word]?.() ?? match);
}

export function fillValue(value: JsonValue, fill: (text: string) => string): JsonValue {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => fillValue(item, fill));
  return isJsonObject(value) ? fillObject(value, fill) : value;
}

export function fillObject(object: JsonObject, fill: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, fillValue(value, fill)]));
}

function responses(content: Content | undefined): string {
  const found = (content?.parts ?? []).flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [functionResponse],
  );
  return found.map(({ name, response }) => `${name}=${canonicalJson(response)}`).join(";");
}

function dumpContent({ role, parts }: Content): string {
  return `${role}: ${(parts ?? []).map(dumpPart).join(" | ")}`;
}

function dumpPart(part: Part): string {
  if (part.functionCall !== undefined)
    return `call:${part.functionCall.name}(${canonicalJson(part.functionCall.args ?? {})})`;
  if (part.functionResponse !== undefined)
    return `resp:${part.functionResponse.name}(${canonicalJson(part.functionResponse.response)})`;
  if (part.inlineData !== undefined) return `blob:${part.inlineData.mimeType}`;
  if (part.executableCode !== undefined) return `code:${part.executableCode.code}`;
  if (part.codeExecutionResult !== undefined) return `result:${part.codeExecutionResult.output}`;
  return `text:${part.text ?? ""}`;
}
