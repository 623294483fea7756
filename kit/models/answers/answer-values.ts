import { ModelError } from "#kit/models/error-mapper.ts";
import { isJsonObject, type JsonValue } from "#kit/platform/json.ts";

/** The mark with which streams of OpenAI's protocol end. */
export const DONE = "[DONE]";

/** JSON over several lines is read at its end only, so it may not have as many characters as a whole stream. */
const MAX_DOCUMENT_CHARACTERS = 32 * 1024 * 1024;
const MAX_SHOWN_CHARACTERS = 200;
const FIELD = /^(data|event|id|retry|error)\b|^:/;

/**
 * The JSON values of an answer, in order, and `DONE`. Servers answer with events, with lines of JSON or with one
 * document, whatever was asked for and whatever their content type says. A list is several values: Gemini's streams are
 * one without `alt=sse`, and its compatible endpoint puts failures in one. The response's body has to come in whole
 * events or lines, as `providerFetch` gives them. Throws a `ModelError` for what is not an answer, such as a page.
 */
export async function* answerValues(response: Response): AsyncGenerator<JsonValue, void, undefined> {
  const reader = new AnswerReader();
  const decoder = new TextDecoder();
  for await (const block of response.body ?? []) yield* reader.add(decoder.decode(block, { stream: true }));
  yield* reader.end();
}

class AnswerReader {
  #form: "unknown" | "events" | "values" | "document" = "unknown";
  #document = "";

  /** The values of some whole lines. */
  *add(block: string): Iterable<JsonValue> {
    if (block.trim() === "") return;
    if (this.#form === "unknown") this.#form = formOf(block);
    if (this.#form === "events") return yield* eventValues(block);
    if (this.#form === "values") {
      const values = valuesOfLines(block);
      if (values !== undefined) return yield* values;
      this.#form = "document";
    }
    this.#document += block;
    if (this.#document.length > MAX_DOCUMENT_CHARACTERS) throw noAnswer(this.#document);
  }

  *end(): Iterable<JsonValue> {
    if (this.#document.trim() === "") return;
    let value: JsonValue;
    try {
      value = JSON.parse(this.#document);
    } catch {
      throw noAnswer(this.#document);
    }
    yield* listOf(value);
  }
}

function formOf(block: string): "events" | "values" | "document" {
  const begin = block.trimStart();
  if (FIELD.test(begin)) return "events";
  return /^[[{]/.test(begin) ? "values" : "document";
}

/** Undefined if a line is not a whole value. */
function valuesOfLines(block: string): readonly JsonValue[] | undefined {
  try {
    const lines = block.split("\n").filter((line) => line.trim() !== "");
    return lines.flatMap((line) => listOf(JSON.parse(line)));
  } catch {
    return undefined;
  }
}

function* eventValues(block: string): Iterable<JsonValue> {
  for (const data of dataOf(block)) {
    const text = data.trim();
    if (text === DONE) yield DONE;
    else if (text !== "") yield* failuresOf(block, listOf(JSON.parse(text)));
  }
}

/** Failures by the name of their event, or by a field of their own. */
function failuresOf(block: string, values: readonly JsonValue[]): readonly JsonValue[] {
  if (!/^(event: ?error\s*$|error:)/m.test(block)) return values;
  return values.map((value) => (isJsonObject(value) && isFailure(value["error"]) ? value : { error: value }));
}

function isFailure(value: JsonValue | undefined): boolean {
  return isJsonObject(value) || (typeof value === "string" && value !== "");
}

/**
 * Lines of data that are not JSON alone belong together, by the rules of event streams. Servers that leave out the
 * empty line between events begin each with its own brace.
 */
function* dataOf(block: string): Iterable<string> {
  let data: string | undefined;
  for (const line of block.split("\n")) {
    const [field] = /^(data|error): ?/.exec(line) ?? [];
    if (field === undefined) continue;
    const text = line.slice(field.length);
    if (data !== undefined && /^[{[]/.test(text)) {
      yield data;
      data = text;
    } else data = data === undefined ? text : `${data}\n${text}`;
  }
  if (data !== undefined) yield data;
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}

function noAnswer(text: string): ModelError {
  const begin = text.trim().slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();
  return new ModelError("SERVER_ERROR", "The model's server sent no answer, but a page or another text.", {
    logDetail: begin,
  });
}
