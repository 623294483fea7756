import type { Part } from "#kit/events/content.ts";
import { type Sleep, sleep as systemSleep } from "#kit/platform/sleep.ts";
import { checkOptions, integer, method, type OptionRules, text } from "#kit/schema/check-options.ts";
import type { BaseLlm, GenerateOptions } from "../base-llm.ts";
import type { LlmRequest } from "../llm-request.ts";
import type { LlmResponse } from "../llm-response.ts";
import { DemoLiveConnection } from "./demo-live-connection.ts";
import { planAnswer } from "./plan-answer.ts";
import { scriptOf } from "./scripts.ts";

/** Options of `DemoModel`; it may have none. */
export interface DemoModelOptions {
  /** The name, which selects a script: `demo/chat` by default, `demo/weather`, `demo/live` and others. */
  readonly model?: string | undefined;
  /** Milliseconds before each word of a streamed answer; 25 by default. */
  readonly pauseMs?: number | undefined;
  readonly sleep?: Sleep | undefined;
}

const RULES: OptionRules<DemoModelOptions> = { model: text, pauseMs: integer(0, " milliseconds"), sleep: method };

const DEFAULT_PAUSE_MS = 25;
const LIVE = "demo/live";

/**
 * A model that needs no key: a script that streams, calls the agent's tools, and says that it is a demo. For samples
 * and first steps.
 */
export class DemoModel implements BaseLlm {
  readonly model: string;
  readonly providerName = "fairlead.demo";
  readonly supportsOutputSchemaWithTools = true;
  /** Only `demo/live` talks; it writes too. */
  readonly connect?: NonNullable<BaseLlm["connect"]>;
  readonly #pauseMs: number;
  readonly #sleep: Sleep;

  constructor(options: DemoModelOptions = {}) {
    checkOptions("new DemoModel", options, RULES);
    this.model = options.model ?? "demo/chat";
    this.#pauseMs = options.pauseMs ?? DEFAULT_PAUSE_MS;
    this.#sleep = options.sleep ?? systemSleep;
    if (this.model !== LIVE) return;
    const live = { script: scriptOf(this.model), pauseMs: this.#pauseMs, sleep: this.#sleep };
    this.connect = async (request, connectOptions) => new DemoLiveConnection(request, connectOptions, live);
  }

  async *generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse> {
    options.signal.throwIfAborted();
    const parts = planAnswer(request, scriptOf(this.model));
    if (options.stream) yield* this.#chunks(parts, options.signal);
    yield {
      content: { role: "model", parts },
      finishReason: "STOP",
      modelVersion: this.model,
      usageMetadata: usageOf(request, parts),
    };
  }

  async *#chunks(parts: readonly Part[], signal: AbortSignal): AsyncIterable<LlmResponse> {
    for (const { text } of parts) {
      for (const [word] of (text ?? "").matchAll(/\S+\s*/g)) {
        await this.#sleep(this.#pauseMs, signal);
        yield { content: { role: "model", parts: [{ text: word }] }, partial: true };
      }
    }
  }
}

/** Counts words as tokens. */
function usageOf(request: LlmRequest, parts: readonly Part[]): NonNullable<LlmResponse["usageMetadata"]> {
  const newest = request.contents.at(-1)?.parts ?? [];
  const promptTokenCount = countWords(newest);
  const candidatesTokenCount = countWords(parts);
  return { promptTokenCount, candidatesTokenCount, totalTokenCount: promptTokenCount + candidatesTokenCount };
}

function countWords(parts: readonly Part[]): number {
  return parts.reduce((count, part) => count + (part.text?.match(/\S+/g)?.length ?? 1), 0);
}
