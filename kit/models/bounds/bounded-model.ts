import { PlatformError } from "#kit/errors/platform-error.ts";
import type { UsageMetadata } from "#kit/events/content.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** How much one answer of a model may contain. */
export interface AnswerLimits {
  /** Characters of all texts: the answer, thoughts, code, and names and arguments of calls. */
  readonly maxAnswerCharacters: number;
  /** Parts, calls among them. */
  readonly maxAnswerParts: number;
}

/** Several times the longest answers of today's models, which have some 100,000 tokens. */
export const DEFAULT_ANSWER_LIMITS: AnswerLimits = { maxAnswerCharacters: 4_000_000, maxAnswerParts: 10_000 };

/** The largest number of parts that an answer may be allowed to have. */
export const MAX_ANSWER_PARTS = 100_000;

/**
 * For an adapter that keeps calls until their answer is complete: `boundedModel` does not see them before. Throws
 * `MODEL_ANSWER_TOO_LARGE`.
 */
export function checkHeldCalls(count: number): void {
  if (count > MAX_ANSWER_PARTS)
    throw new PlatformError("MODEL_ANSWER_TOO_LARGE", `The model's answer has more than ${MAX_ANSWER_PARTS} calls.`);
}

/** Images, sound and video in base64. */
const MAX_MEDIA_CHARACTERS = 64 * 1024 * 1024;
/**
 * Chunks of one answer: twice the tokens of the longest answers of today's models. Each costs a reader its own event.
 */
const MAX_CHUNKS = 250_000;
/** Levels of objects and lists. Code that reads answers recursively must not exhaust the stack. */
const MAX_DEPTH = 200;
/** More tokens than any model processes in one call: a larger count is an error of the server that reports it. */
const MAX_TOKENS = 1_000_000_000;

/**
 * The model with bounded answers: an answer beyond a limit ends the call with `MODEL_ANSWER_TOO_LARGE` before anything
 * else reads it, and token counts that cannot be true are left out. Applies to models of every kind.
 */
export function boundedModel(model: BaseLlm, limits: AnswerLimits = DEFAULT_ANSWER_LIMITS): BaseLlm {
  const { connect } = model;
  return {
    model: model.model,
    properties: model.properties,
    supportsOutputSchemaWithTools: model.supportsOutputSchemaWithTools,
    generateContentAsync: (request, options) => ({
      [Symbol.asyncIterator]: () => {
        const answers = model.generateContentAsync(request, options)[Symbol.asyncIterator]();
        const answer = new AnswerSize(model, limits);
        // Without a generator, which would cost each chunk more turns of the microtask queue.
        return {
          next: () => answers.next().then((result) => (result.done === true ? result : answer.checkResult(result))),
          return: async () => (await answers.return?.()) ?? { done: true, value: undefined },
        };
      },
    }),
    connect:
      connect &&
      (async (request, options) => {
        const connection = await connect.call(model, request, options);
        return {
          resumed: connection.resumed,
          get unsettled() {
            return connection.unsettled;
          },
          sendHistory: (history, sending) => connection.sendHistory(history, sending),
          sendContent: (content, sending) => connection.sendContent(content, sending),
          sendRealtime: (input) => connection.sendRealtime(input),
          close: () => connection.close(),
          receive: async function* () {
            const answer = new AnswerSize(model, limits);
            for await (const response of connection.receive()) yield answer.check(response);
          },
        };
      }),
  };
}

/** The size of one answer: of all its chunks, and of its complete response. */
class AnswerSize {
  readonly #model: string;
  readonly #limits: AnswerLimits;
  #chunks = 0;
  /** Parts of chunks that are not pieces of a text. */
  #parts = 0;
  #characters = 0;
  #media = 0;

  constructor({ model }: BaseLlm, limits: AnswerLimits) {
    this.#model = model;
    this.#limits = limits;
  }

  checkResult(result: IteratorYieldResult<LlmResponse>): IteratorYieldResult<LlmResponse> {
    const value = this.check(result.value);
    return value === result.value ? result : { ...result, value };
  }

  check(response: LlmResponse): LlmResponse {
    // The reader of the answer reports what has another form.
    if (typeof response !== "object" || response === null) return response;
    const { partial, usageMetadata } = response;
    if (partial === true) this.#checkChunk(response);
    else this.#checkComplete(response);
    if (usageMetadata === undefined || usageMetadata === null) return response;
    const usage = plausibleUsage(usageMetadata);
    if (usage === usageMetadata) return response;
    const { usageMetadata: _, ...rest } = response;
    return usage === undefined ? rest : { ...rest, usageMetadata: usage };
  }

  #checkChunk({ content }: LlmResponse): void {
    this.#chunks += 1;
    if (this.#chunks > MAX_CHUNKS) throw this.#tooLarge(`${MAX_CHUNKS} chunks`);
    const parts = content?.parts;
    if (!Array.isArray(parts)) return;
    for (const part of parts) {
      if (part?.text === undefined) this.#parts += 1;
      this.#add(part, 0);
    }
    this.#checkParts(Math.max(parts.length, this.#parts));
  }

  #checkComplete(response: LlmResponse): void {
    this.#restart();
    const parts = response.content?.parts;
    if (Array.isArray(parts)) this.#checkParts(parts.length);
    this.#add(response, 0);
    // A live connection has several answers.
    this.#restart();
  }

  #restart(): void {
    this.#chunks = 0;
    this.#parts = 0;
    this.#characters = 0;
    this.#media = 0;
  }

  #checkParts(count: number): void {
    const { maxAnswerParts } = this.#limits;
    if (count > maxAnswerParts) throw this.#tooLarge(`${maxAnswerParts} parts (maxAnswerParts)`);
  }

  /** Strings are counted without a call: an answer has one for each of its words. */
  #add(value: unknown, depth: number): void {
    let characters = 1;
    if (typeof value === "string") characters = value.length;
    else if (typeof value === "object" && value !== null) {
      if (depth > MAX_DEPTH) throw this.#tooLarge(`${MAX_DEPTH} levels`);
      for (const key in value) {
        const member: unknown = Reflect.get(value, key);
        if (key === "inlineData") this.#addMedia(member);
        else if (typeof member === "string") characters += member.length;
        else this.#add(member, depth + 1);
      }
    }
    this.#characters += characters;
    const { maxAnswerCharacters } = this.#limits;
    if (this.#characters > maxAnswerCharacters)
      throw this.#tooLarge(`${maxAnswerCharacters} characters (maxAnswerCharacters)`);
  }

  #addMedia(inlineData: unknown): void {
    const { data } = (inlineData ?? {}) as { readonly data?: unknown };
    this.#media += typeof data === "string" ? data.length : 1;
    if (this.#media > MAX_MEDIA_CHARACTERS) throw this.#tooLarge(`${MAX_MEDIA_CHARACTERS} characters of media`);
  }

  #tooLarge(limit: string): PlatformError {
    return new PlatformError(
      "MODEL_ANSWER_TOO_LARGE",
      `The answer of the model ${this.#model} has more than ${limit}.`,
    );
  }
}

/** The counts that can be true; undefined if none is left. */
function plausibleUsage(usage: UsageMetadata): UsageMetadata | undefined {
  if (typeof usage !== "object") return usage;
  const isWrong = (value: unknown): boolean =>
    typeof value === "number" && !(Number.isSafeInteger(value) && value >= 0 && value <= MAX_TOKENS);
  let hasWrong = false;
  for (const key in usage) if (isWrong(usage[key])) hasWrong = true;
  if (!hasWrong) return usage;
  const rest = Object.entries(usage).filter(([, value]) => !isWrong(value));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}
