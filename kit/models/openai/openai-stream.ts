import type { Part } from "#kit/events/content.ts";
import { throwFailure } from "#kit/models/answers/answer-failure.ts";
import { answerValues, DONE } from "#kit/models/answers/answer-values.ts";
import { toFinishReason } from "#kit/models/answers/finish-reasons.ts";
import { GrowingText } from "#kit/models/answers/growing-text.ts";
import { ThinkTags } from "#kit/models/answers/think-tags.ts";
import { unreadableArguments } from "#kit/models/answers/unreadable-call-arguments.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { OpenAiCalls } from "./openai-calls.ts";
import {
  callsOf,
  imagesOf,
  memberOf,
  objectsOf,
  stringOf,
  textsOf,
  usageOf,
  withReasoningDetails,
} from "./openai-message.ts";
import { ReasoningDetails } from "./reasoning-details.ts";

/**
 * The chunks of an answer, streamed or not: servers may do the other of what was asked. A call is one chunk, when its
 * arguments are complete. `tools` are the names that calls may have.
 */
export async function* fromOpenAiResponse(response: Response, tools: readonly string[]): AsyncIterable<StreamChunk> {
  const answer = new OpenAiAnswer(tools);
  for await (const value of answerValues(response)) {
    if (value === DONE) {
      answer.end();
      break;
    }
    if (isJsonObject(value)) yield answer.add(value);
  }
  yield answer.finish();
}

class OpenAiAnswer {
  readonly #calls: OpenAiCalls;
  readonly #text = new GrowingText();
  readonly #thought = new GrowingText();
  readonly #tags = new ThinkTags();
  /** The server's word for why the answer ended. */
  #word: string | undefined;
  #refusal = "";
  readonly #details = new ReasoningDetails();
  #hasBegun = false;
  #hasImages = false;
  /** The server has said that nothing follows, with or without a reason. */
  #isAtEnd = false;

  constructor(tools: readonly string[]) {
    this.#calls = new OpenAiCalls(tools);
  }

  add(body: JsonObject): StreamChunk {
    const choice = choiceOf(body);
    throwFailure(body, { isAnswer: choice !== undefined });
    const { delta, message, finish_reason: word, error } = choice ?? {};
    if (error !== undefined) throwFailure({ error }, { isAnswer: true });
    const isWhole = !isJsonObject(delta) && isJsonObject(message);
    // Some servers stream the message as far as it is written.
    this.#isAtEnd = isWhole && !this.#hasBegun;
    this.#hasBegun = true;
    if (typeof word === "string" && word !== "") this.#word = word;
    const said = [delta, message].find(isJsonObject) ?? {};
    this.#calls.add(callsOf(said));
    this.#details.add(objectsOf(said["reasoning_details"]), { isWhole });
    const parts = this.#parts(said, { isWhole, isLast: this.#word !== undefined });
    const usage = usageOf(body["usage"] ?? choice?.["usage"] ?? memberOf(body["x_groq"], "usage"));
    const model = stringOf(body["model"]);
    return {
      content: parts.length > 0 ? { role: "model", parts } : undefined,
      modelVersion: model !== "" ? model : undefined,
      usageMetadata: usage,
    };
  }

  end(): void {
    this.#isAtEnd = true;
  }

  finish(): StreamChunk {
    const word = this.#word ?? (this.#isAtEnd ? "stop" : undefined);
    if (word === undefined) throw new ModelError("SERVER_ERROR", "The model's answer ended before it was complete.");
    const calls = this.#calls.toParts();
    const hasCalls = calls.length > 0 && calls.every((part) => unreadableArguments(part) === undefined);
    const refused = this.#refusal !== "";
    const reason = refused ? "SAFETY" : toFinishReason(word, { hasCalls });
    const [first, ...others] = reason === "STOP" ? calls : [];
    const called = first === undefined ? [] : [withReasoningDetails(first, this.#details.all), ...others];
    const parts = [...this.#rest(), ...called];
    return {
      content: parts.length > 0 ? { role: "model", parts } : undefined,
      finishReason: reason,
      errorMessage: refused ? this.#refusal : undefined,
    };
  }

  #parts(message: JsonObject, { isWhole, isLast }: { isWhole: boolean; isLast: boolean }): readonly Part[] {
    const { thoughts, text, refusal } = textsOf(message);
    const added = (all: GrowingText, piece: string): string =>
      isWhole ? all.addWhole(piece) : all.add(piece, { isLast });
    const newThoughts = thoughts
      .map((part) => ({ ...part, text: added(this.#thought, part.text ?? "") }))
      .filter((part) => part.text !== "");
    if (newThoughts.length > 0) this.#tags.leave();
    this.#refusal += refusal;
    const said = this.#tags.add(added(this.#text, text));
    const images = isWhole && this.#hasImages ? [] : imagesOf(message);
    this.#hasImages ||= images.length > 0;
    return [...newThoughts, ...said, ...images, ...(refusal === "" ? [] : [{ text: refusal }])];
  }

  /** What was held back until the end of the answer. */
  #rest(): readonly Part[] {
    const thought = this.#thought.end();
    const texts = [...this.#tags.add(this.#text.end()), ...this.#tags.end()];
    return thought === "" ? texts : [{ text: thought, thought: true }, ...texts];
  }
}

/** The first of several alternatives, whatever their order; some servers give it as an object. */
function choiceOf({ choices }: JsonObject): JsonObject | undefined {
  const all = objectsOf(choices);
  return all.find(({ index }) => index === 0) ?? all[0];
}
