import type { Part } from "#kit/events/content.ts";
import { toFinishReason } from "#kit/models/answers/finish-reasons.ts";
import { isDone, serverEvents } from "#kit/models/answers/server-events.ts";
import { ThinkTags } from "#kit/models/answers/think-tags.ts";
import { brokenArguments } from "#kit/models/broken-arguments.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { OpenAiCalls } from "./openai-calls.ts";
import { callsOf, memberOf, objectsOf, stringOf, textsOf, usageOf } from "./openai-message.ts";

/**
 * The chunks of an answer, streamed or not: servers may do the other of what was asked. A call is one chunk, when its
 * arguments are complete.
 */
export async function* fromOpenAiResponse(response: Response): AsyncIterable<StreamChunk> {
  const answer = new OpenAiAnswer();
  for await (const data of serverEvents(response)) {
    if (isDone(data)) {
      answer.end();
      break;
    }
    const chunk: unknown = JSON.parse(data);
    if (isJsonObject(chunk)) yield answer.add(chunk);
  }
  yield answer.finish();
}

class OpenAiAnswer {
  readonly #calls = new OpenAiCalls();
  readonly #tags = new ThinkTags();
  /** The server's word for why the answer ended. */
  #word: string | undefined;
  #refusal = "";
  /** The server has said that nothing follows, with or without a reason. */
  #isAtEnd = false;

  add(body: JsonObject): StreamChunk {
    const [choice = {}] = objectsOf(body["choices"]);
    throwFailure(body["error"] ?? choice["error"] ?? (body["object"] === "error" ? body : null));
    const { delta, message, finish_reason: word } = choice;
    if (message !== undefined && message !== null) this.#isAtEnd = true;
    if (typeof word === "string" && word !== "") this.#word = word;
    const said = [delta, message].find(isJsonObject) ?? {};
    this.#calls.add(callsOf(said));
    const parts = this.#texts(said);
    const usage = usageOf(body["usage"] ?? choice["usage"] ?? memberOf(body["x_groq"], "usage"));
    const model = stringOf(body["model"]);
    return {
      ...(parts.length > 0 && { content: { role: "model", parts } }),
      ...(model !== "" && { modelVersion: model }),
      ...(usage !== undefined && { usageMetadata: usage }),
    };
  }

  end(): void {
    this.#isAtEnd = true;
  }

  finish(): StreamChunk {
    const word = this.#word ?? (this.#isAtEnd ? "stop" : undefined);
    if (word === undefined) throw new ModelError("SERVER_ERROR", "The model's answer ended before it was complete.");
    const calls = this.#calls.toParts();
    const hasCalls = calls.length > 0 && calls.every((part) => brokenArguments(part) === undefined);
    const refused = this.#refusal !== "";
    const reason = refused ? "SAFETY" : toFinishReason(word, { hasCalls });
    const parts = [...this.#tags.end(), ...(reason === "STOP" ? calls : [])];
    return {
      ...(parts.length > 0 && { content: { role: "model", parts } }),
      finishReason: reason,
      ...(refused && { errorMessage: this.#refusal }),
    };
  }

  #texts(message: JsonObject): readonly Part[] {
    const { thoughts, text, refusal } = textsOf(message);
    if (thoughts.length > 0) this.#tags.leave();
    this.#refusal += refusal;
    return [...thoughts, ...this.#tags.add(text), ...(refusal === "" ? [] : [{ text: refusal }])];
  }
}

/** Failures come in the place of an answer, in the middle of one, and in its choice. */
function throwFailure(error: JsonValue): void {
  if (error === null || error === "") return;
  const message = isJsonObject(error) ? stringOf(error["message"]) : stringOf(error);
  throw Object.assign(new Error(message), { error: isJsonObject(error) ? error : { message } });
}
