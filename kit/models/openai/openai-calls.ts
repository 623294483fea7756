import type { Part } from "#kit/events/content.ts";
import { toCallPart } from "#kit/models/broken-arguments.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** A call whose arguments may be incomplete. */
interface OpenCall {
  readonly index: number;
  id: string;
  name: string;
  json: string;
  signature: string | undefined;
}

/** A piece of a call, as far as the server says what it belongs to. */
interface Piece {
  readonly index: number;
  readonly id: string;
  readonly name: string;
}

/**
 * The calls of one answer. Servers number and cut them in their own ways: Ollama, LiteLLM and Gemini's compatible
 * endpoint give index 0 to all, others no index, no ids, the same id to all, another one with each piece, or repeat the
 * name with each piece.
 */
export class OpenAiCalls {
  readonly #calls: OpenCall[] = [];

  /** The pieces of one chunk. Two that name their function are never of the same call. */
  add(pieces: readonly JsonObject[]): void {
    const named = new Set<OpenCall>();
    for (const [position, piece] of pieces.entries()) {
      const { function: called, extra_content: extra } = piece;
      const { name, arguments: args } = isJsonObject(called) ? called : {};
      const index = typeof piece["index"] === "number" ? piece["index"] : position;
      const call = this.#callOf({ index, id: textOf(piece["id"]), name: textOf(name) }, named);
      if (textOf(name) !== "") named.add(call);
      call.json = joined(call.json, args);
      call.signature ??= signatureOf(extra);
    }
  }

  get length(): number {
    return this.#calls.length;
  }

  /** An id that two calls have is left out, so that the kit gives each its own. */
  toParts(): readonly Part[] {
    const ids = new Set<string>();
    return this.#calls.map((call) => {
      const id = ids.has(call.id) ? "" : call.id;
      ids.add(call.id);
      const part = toCallPart({ ...call, id });
      return call.signature === undefined ? part : { ...part, thoughtSignature: call.signature };
    });
  }

  /** A piece without a name continues a call; one with a name begins another, unless it only repeats the name. */
  #callOf(piece: Piece, named: ReadonlySet<OpenCall>): OpenCall {
    const known = this.#known(piece);
    if (known === undefined) return this.#begin(piece);
    if (piece.name !== "" && known.name !== "" && (named.has(known) || !repeats(known, piece)))
      return this.#begin(piece);
    known.name ||= piece.name;
    known.id ||= piece.id;
    return known;
  }

  #known({ index, id }: Piece): OpenCall | undefined {
    const ofIndex = this.#calls.filter((call) => call.index === index);
    const ofId = id === "" ? undefined : ofIndex.findLast((call) => call.id === id);
    return ofId ?? ofIndex.at(-1) ?? this.#calls.findLast((call) => call.id !== "" && call.id === id);
  }

  #begin({ index, id, name }: Piece): OpenCall {
    const call = { index, id, name, json: "", signature: undefined };
    this.#calls.push(call);
    return call;
  }
}

/** Whether the piece, which has a name, continues the call. */
function repeats(call: OpenCall, { index, id, name }: Piece): boolean {
  if (call.name !== name || call.index !== index) return false;
  if (id !== "" && call.id !== "" && id !== call.id) return false;
  return !isComplete(call.json);
}

function isComplete(json: string): boolean {
  try {
    return isJsonObject(JSON.parse(json));
  } catch {
    return false;
  }
}

/** Some servers give the arguments as an object, not as its text. */
function joined(json: string, args: JsonValue | undefined): string {
  if (typeof args === "string") return json + args;
  return isJsonObject(args) ? json + JSON.stringify(args) : json;
}

function signatureOf(extra: JsonValue | undefined): string | undefined {
  const google = isJsonObject(extra) ? extra["google"] : undefined;
  const signature = isJsonObject(google) ? google["thought_signature"] : undefined;
  return typeof signature === "string" && signature !== "" ? signature : undefined;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
