import type { Part } from "#kit/events/content.ts";
import { toCallPart } from "#kit/models/answers/unreadable-call-arguments.ts";
import { checkHeldCalls } from "#kit/models/bounds/bounded-model.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { ObjectEnd } from "./object-end.ts";

/** A call whose arguments may be incomplete. */
interface OpenCall {
  readonly position: number;
  readonly index: number;
  id: string;
  name: string;
  json: string;
  end: ObjectEnd;
  signature: string | undefined;
}

/** A piece of a call, as far as the server says what it belongs to. */
interface Piece {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly json: string;
}

/**
 * The calls of one answer. Servers number and cut them in their own ways: Ollama, LiteLLM and Gemini's compatible
 * endpoint give index 0 to all, others no index, no ids, the same id to all, another one with each piece, repeat the name
 * or all arguments so far with each piece, or cut the name. The work for a piece does not depend on how many there were
 * before it.
 */
export class OpenAiCalls {
  readonly #tools: readonly string[];
  readonly #calls: OpenCall[] = [];
  /** The newest call of each index, of each id, and of both. */
  readonly #ofIndex = new Map<number, OpenCall>();
  readonly #ofId = new Map<string, OpenCall>();
  readonly #ofBoth = new Map<string, OpenCall>();

  /** `tools` are the names that calls may have. */
  constructor(tools: readonly string[] = []) {
    this.#tools = tools;
  }

  /** The pieces of one chunk. Two that name their function are never of the same call. */
  add(pieces: readonly JsonObject[]): void {
    const named = new Set<OpenCall>();
    for (const [position, piece] of pieces.entries()) {
      const { function: called, extra_content: extra } = piece;
      const { name, arguments: args } = isJsonObject(called) ? called : piece;
      const index = typeof piece["index"] === "number" ? piece["index"] : position;
      const json = jsonOf(args);
      const call = this.#callOf({ index, id: idOf(piece["id"]), name: textOf(name), json }, named);
      if (textOf(name) !== "") named.add(call);
      if (isAgain(call.json, json)) restart(call);
      call.json += json;
      call.end.add(json);
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
      const part = toCallPart({ id, name: call.name, json: call.json });
      return call.signature === undefined ? part : { ...part, thoughtSignature: call.signature };
    });
  }

  /** A piece without a name continues a call; one with a name begins another, unless it only repeats the name. */
  #callOf(piece: Piece, named: ReadonlySet<OpenCall>): OpenCall {
    const known = this.#known(piece);
    if (known === undefined) return this.#begin(piece);
    if (this.#continuesName(known, piece)) {
      known.name += piece.name;
      return known;
    }
    if (piece.name !== "" && known.name !== "" && (named.has(known) || !repeats(known, piece)))
      return this.#begin(piece);
    known.name ||= piece.name;
    if (known.id === "" && piece.id !== "") {
      known.id = piece.id;
      this.#find(known);
    }
    return known;
  }

  #known({ index, id }: Piece): OpenCall | undefined {
    return this.#ofBoth.get(keyOf(index, id)) ?? this.#ofIndex.get(index) ?? this.#ofId.get(id);
  }

  #continuesName({ name, json }: OpenCall, piece: Piece): boolean {
    if (piece.name === "" || name === "" || json !== "" || this.#tools.includes(name)) return false;
    return this.#tools.some((tool) => tool.startsWith(name + piece.name));
  }

  #begin({ index, id, name }: Piece): OpenCall {
    const call = {
      position: this.#calls.length,
      index,
      id,
      name,
      json: "",
      end: new ObjectEnd(),
      signature: undefined,
    };
    this.#calls.push(call);
    checkHeldCalls(this.#calls.length);
    this.#ofIndex.set(index, call);
    if (id !== "") this.#find(call);
    return call;
  }

  /** Makes a call that has an id known by it, unless a newer one has the same. */
  #find(call: OpenCall): void {
    keepNewest(this.#ofId, call.id, call);
    keepNewest(this.#ofBoth, keyOf(call.index, call.id), call);
  }
}

function keyOf(index: number, id: string): string {
  return `${index} ${id}`;
}

function keepNewest(calls: Map<string, OpenCall>, key: string, call: OpenCall): void {
  if ((calls.get(key)?.position ?? -1) < call.position) calls.set(key, call);
}

/** Whether the piece, which has a name, continues the call. */
function repeats(call: OpenCall, { index, id, name, json }: Piece): boolean {
  if (call.name !== name || call.index !== index) return false;
  if (id !== "" && call.id !== "" && id !== call.id) return false;
  return !call.end.isReached || (id !== "" && json === call.json);
}

/** Whether the arguments are all so far, with which no continuation begins, or follow an empty object. */
function isAgain(before: string, json: string): boolean {
  return before !== "" && (json.startsWith(before) || (before === "{}" && json.startsWith("{")));
}

function restart(call: OpenCall): void {
  call.json = "";
  call.end = new ObjectEnd();
}

/** Some servers give the arguments as an object, not as its text. */
function jsonOf(args: JsonValue | undefined): string {
  return isJsonObject(args) ? JSON.stringify(args) : textOf(args);
}

function idOf(value: JsonValue | undefined): string {
  return typeof value === "number" ? String(value) : textOf(value);
}

function signatureOf(extra: JsonValue | undefined): string | undefined {
  // Gateways to Vertex AI name the member for it.
  const google = isJsonObject(extra) ? (extra["google"] ?? extra["vertex"]) : undefined;
  const signature = isJsonObject(google) ? google["thought_signature"] : undefined;
  return typeof signature === "string" && signature !== "" ? signature : undefined;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
