import { isLarge } from "#kit/artifacts/inline-data.ts";
import { ToolResult } from "#kit/core/context/tool-result.ts";
import { redactText } from "#kit/errors/redact.ts";
import type { Part } from "#kit/events/content.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { setOwn } from "#kit/sessions/state-delta.ts";
import { MAX_ERROR_CHARACTERS, MAX_RESPONSE_CHARACTERS, MAX_RESPONSE_DEPTH } from "./tool-limits.ts";

/** A response that models and stores accept, and the approximate length of its JSON. */
export interface MeasuredResponse {
  readonly response: JsonObject;
  readonly size: number;
  /** Media that the model gets in addition to the response. */
  readonly parts?: readonly JsonObject[];
}

interface ToolResponseOptions {
  /** Whether large media is moved to the session's artifacts. */
  readonly movesMedia?: boolean;
}

/**
 * Converts a tool's result to a JSON object of bounded size; a value that is not an object is under `result`. A value
 * that JSON does not have becomes a readable `error`. Keeps the same values as `JSON.stringify`, in one pass that ends
 * when the limit is reached.
 */
export function toToolResponse(raw: unknown, { movesMedia = false }: ToolResponseOptions = {}): MeasuredResponse {
  if (raw instanceof ToolResult) return withMedia(toToolResponse(raw.response), raw.media, movesMedia);
  const copy = new JsonCopy(MAX_RESPONSE_CHARACTERS);
  try {
    const value = copy.of(raw) ?? null;
    if (isJsonObject(value)) return { response: value, size: copy.size };
    return { response: { result: value }, size: copy.size + '{"result":}'.length };
  } catch (error) {
    return errorResponse(`The tool's result cannot be used: ${errorText(error)}`);
  }
}

/**
 * Counts the media too: it is stored in the event of the response. Large media counts a tenth if it is moved out of the
 * event, and a quarter if there is no place for it: screenshots of usual sizes reach the model then too. What does not fit is left out, and the response says so: the call has had its effect.
 */
function withMedia(measured: MeasuredResponse, media: readonly Part[], movesMedia: boolean): MeasuredResponse {
  if (media.length === 0) return measured;
  const parts: JsonObject[] = [];
  let { size } = measured;
  for (const part of media) {
    const share = isLarge(part.inlineData) ? shareOf(movesMedia) : 1;
    const copy = new JsonCopy(MAX_RESPONSE_CHARACTERS * share);
    try {
      const value = copy.of(part);
      const counted = Math.ceil(copy.size / share);
      if (!isJsonObject(value) || size + counted > MAX_RESPONSE_CHARACTERS) continue;
      parts.push(value);
      size += counted;
    } catch (error) {
      if (!(error instanceof RangeError)) return errorResponse(`The tool's result cannot be used: ${errorText(error)}`);
    }
  }
  const leftOut = media.length - parts.length;
  if (leftOut === 0) return { response: measured.response, size, parts };
  const mediaLeftOut = `${leftOut} of ${media.length} images or files are too large to be shown. The call itself succeeded.`;
  const response = { ...measured.response, mediaLeftOut };
  return { response, size: size + mediaLeftOut.length + 20, parts: parts.length > 0 ? parts : undefined };
}

/** How many times larger than text large media may be. */
function shareOf(movesMedia: boolean): number {
  return movesMedia ? 10 : 4;
}

export function errorResponse(message: string): MeasuredResponse {
  const error = bounded(message);
  return { response: { error }, size: error.length + '{"error":""}'.length };
}

/** An error's text for a model: credentials are redacted; it is never empty, and its length is bounded. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return bounded(redactText(describe(error)));
  return bounded(redactText(error.message === "" ? error.name : error.message));
}

export function bounded(text: string): string {
  if (text.length <= MAX_ERROR_CHARACTERS) return text;
  return `${text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed()}… (${text.length} characters)`;
}

function describe(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return `a value of type ${typeof thrown} was thrown`;
  }
}

class JsonCopy {
  readonly #maxCharacters: number;
  size = 0;
  /** The objects that contain the one being copied. */
  readonly #around: object[] = [];

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  of(value: unknown, key = ""): JsonValue | undefined {
    switch (typeof value) {
      case "string":
        this.#add(value.length + 2);
        return value;
      case "boolean":
        this.#add(5);
        return value;
      case "number":
        this.#add(8);
        return Number.isFinite(value) ? value : null;
      case "bigint":
        throw new TypeError("it holds a BigInt, which JSON has not. Give it as a string.");
      case "object":
        return value === null ? this.#null() : this.#object(value, key);
      default:
        return undefined;
    }
  }

  #null(): null {
    this.#add(4);
    return null;
  }

  #object(value: object, key: string): JsonValue | undefined {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
      throw new TypeError("it holds bytes. Save them as an artifact, or give them as base64.");
    if ("toJSON" in value && typeof value.toJSON === "function") return this.of(value.toJSON(key), key);
    if (value instanceof String || value instanceof Number || value instanceof Boolean) return this.of(value.valueOf());
    if (this.#around.includes(value)) throw new TypeError("it contains itself, which JSON cannot say.");
    if (this.#around.length >= MAX_RESPONSE_DEPTH)
      throw new RangeError(`it is nested deeper than ${MAX_RESPONSE_DEPTH} levels. Give a flatter one.`);
    this.#around.push(value);
    this.#add(2);
    const copy = Array.isArray(value) ? this.#list(value) : this.#members(value);
    this.#around.pop();
    return copy;
  }

  #list(values: readonly unknown[]): JsonValue[] {
    const copy: JsonValue[] = [];
    for (const value of values) {
      this.#add(1);
      copy.push(this.of(value) ?? null);
    }
    return copy;
  }

  #members(object: object): JsonObject {
    const copy: Record<string, JsonValue> = {};
    // Reads the keys before any value, as JSON.stringify does. The object has these keys, whatever its type.
    for (const key of Object.keys(object)) {
      const value = this.of((object as Readonly<Record<string, unknown>>)[key], key);
      if (value === undefined) continue;
      this.#add(key.length + 4);
      setOwn(copy, key, value);
    }
    return copy;
  }

  #add(characters: number): void {
    this.size += characters;
    if (this.size > this.#maxCharacters)
      throw new RangeError(
        `it is longer than ${this.#maxCharacters} characters. Give less, or save it as an artifact.`,
      );
  }
}
