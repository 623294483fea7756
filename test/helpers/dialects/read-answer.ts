import { type Part, textOf, type UsageMetadata } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Answer } from "./answer.ts";
import type { Dialect } from "./dialect.ts";

/** What is left of an answer behind the wire. */
export interface ReadAnswer {
  readonly thought: string;
  readonly text: string;
  /** The text of the chunks; undefined if there were none. */
  readonly streamedText: string | undefined;
  readonly calls: readonly {
    readonly name: string;
    readonly args: JsonObject;
    readonly signature?: string | undefined;
  }[];
  readonly ids: readonly string[] | "distinct";
  readonly end: string | undefined;
  readonly usage: UsageMetadata | undefined;
}

const ENDS = { done: "STOP", length: "MAX_TOKENS", filtered: "SAFETY" } as const;

/** What has to be read of an answer that such a server has written. */
export function expectedOf(answer: Answer, { reports }: Dialect, { stream }: { readonly stream: boolean }): ReadAnswer {
  const calls = reports.manyCalls ? answer.calls : answer.calls.slice(0, 1);
  return {
    thought: reports.thoughts ? answer.thought : "",
    text: answer.text,
    streamedText: stream ? answer.text : undefined,
    calls: calls.map(({ name, args, signature }) => ({
      name,
      args,
      ...(reports.signatures && signature !== undefined && { signature }),
    })),
    ids: reports.ids ? calls.map((_, index) => String(index)) : "distinct",
    end: ENDS[answer.end],
    usage: reports.usage ? usageOf(answer, reports) : undefined,
  };
}

function usageOf({ usage }: Answer, reports: Dialect["reports"]): UsageMetadata {
  const { prompt, output, thoughts, cached } = usage;
  const counted = reports.thoughtTokens && thoughts > 0;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: reports.thoughtTokens ? output : output + thoughts,
    totalTokenCount: prompt + output + thoughts,
    ...(counted && { thoughtsTokenCount: thoughts }),
    ...(reports.cachedTokens && cached > 0 && { cachedContentTokenCount: cached }),
  };
}

export function readAnswer(responses: readonly LlmResponse[], { reports }: Dialect, stream: boolean): ReadAnswer {
  const whole = responses.findLast(({ partial }) => partial !== true);
  const parts = whole?.content?.parts ?? [];
  const calls = parts.flatMap((part) => (part.functionCall === undefined ? [] : [part]));
  const ids = calls.map(({ functionCall }) => functionCall?.id ?? "");
  return {
    thought: parts.flatMap(({ thought, text }) => (thought === true ? (text ?? "") : [])).join(""),
    text: textOf(whole?.content),
    streamedText: stream ? streamedTextOf(responses) : undefined,
    calls: calls.map(callOf(reports.signatures)),
    ids: reports.ids ? ids.map((id) => id.replace(/^(callABCD|call_|toolu_)/, "")) : distinct(ids),
    end: whole?.finishReason,
    usage: reports.usage ? whole?.usageMetadata : undefined,
  };
}

function streamedTextOf(responses: readonly LlmResponse[]): string {
  return responses.map(({ partial, content }) => (partial === true ? textOf(content) : "")).join("");
}

/** The kit gives ids to calls without one. */
function distinct(ids: readonly string[]): ReadAnswer["ids"] {
  const given = ids.filter((id) => id !== "");
  return new Set(given).size === given.length ? "distinct" : given;
}

function callOf(withSignatures: boolean): (part: Part) => ReadAnswer["calls"][number] {
  return ({ functionCall, thoughtSignature }) => ({
    name: functionCall?.name ?? "",
    args: functionCall?.args ?? {},
    ...(withSignatures && thoughtSignature !== undefined && { signature: thoughtSignature }),
  });
}
