import { toClaudeRequest } from "#kit/models/claude/claude-convert.ts";
import { toGeminiRequest } from "#kit/models/gemini/gemini-convert.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import { toOpenAiRequest } from "#kit/models/openai/openai-convert.ts";
import { ProviderForm } from "#kit/models/wire/provider-form.ts";
import { type ProviderKind, providerRules } from "#kit/models/wire/provider-rules.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";

/** A turn as a provider sees it: who speaks, and the ids of its calls and of its responses. */
interface Turn {
  readonly role: string;
  readonly calls: readonly unknown[];
  readonly responses: readonly unknown[];
}

/** The request in the provider's form, as adapters get it. */
export function formFor(kind: ProviderKind, request: LlmRequest): WireRequest {
  return new ProviderForm(request, providerRules(kind, request.model)).request;
}

/** Why Claude, Gemini and OpenAI-compatible servers would answer 400 to the conversation of a request. */
export const refusals: Readonly<Record<string, (request: LlmRequest) => readonly string[]>> = {
  claude: (request) => {
    const turns = toClaudeRequest(formFor("claude", request), undefined).messages.map(({ role, content }): Turn => {
      const blocks = typeof content === "string" ? [] : content;
      return {
        role,
        calls: blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
        responses: blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : [])),
      };
    });
    const repeats = turns.filter(({ role }, index) => role === turns[index - 1]?.role);
    return [...edges(turns, "user"), ...unanswered(turns), ...repeats.map(({ role }) => `two turns of ${role}`)];
  },
  gemini: (request) => {
    const { contents } = toGeminiRequest(formFor("gemini", request), { vertexAi: false }, new AbortController().signal);
    // The request is typed for more forms than the converter makes.
    const turns = (contents as LlmRequest["contents"]).map(({ role = "", parts = [] }): Turn => {
      const names = (kind: "functionCall" | "functionResponse") =>
        parts.flatMap((part) => (part[kind] === undefined ? [] : [part[kind].name]));
      return { role, calls: names("functionCall"), responses: names("functionResponse") };
    });
    return [...edges(turns, "user"), ...unanswered(turns)];
  },
  openAi: (request) => {
    const turns: Turn[] = [];
    for (const message of toOpenAiRequest(formFor("openai", request)).messages) {
      const last = turns.at(-1);
      if (message.role === "tool" && last?.role === "tool")
        turns.splice(-1, 1, { ...last, responses: [...last.responses, message.tool_call_id] });
      else
        turns.push({
          role: message.role,
          calls: message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [],
          responses: message.role === "tool" ? [message.tool_call_id] : [],
        });
    }
    const problems = [...unanswered(turns)];
    if (turns.at(-1)?.role === "assistant") problems.push("the last turn is of assistant");
    if (!turns.some(({ role }) => role === "user")) problems.push("the user says nothing");
    return problems;
  },
};

function edges(turns: readonly Turn[], role: string): readonly string[] {
  return [turns[0], turns.at(-1)].flatMap((turn) => (turn?.role === role ? [] : [`an outer turn is of ${turn?.role}`]));
}

/** Calls that the next turn does not answer, and responses without a call. */
function unanswered(turns: readonly Turn[]): readonly string[] {
  const sorted = (ids: readonly unknown[] = []): string => ids.map(String).sort().join();
  return [{ role: "", calls: [], responses: [] }, ...turns].flatMap(({ calls }, index) => {
    const given = sorted(turns[index]?.responses);
    return given === sorted(calls) ? [] : [`turn ${index} answers "${given}", calls were "${sorted(calls)}"`];
  });
}
