import { type Artifact, StreamResponse, type TaskArtifactUpdateEvent } from "@a2a-js/sdk";
import { CURSOR_EXTENSION } from "./protocol.ts";

interface Template {
  /** The event's JSON before its time, and after its text. */
  readonly head: string;
  readonly tail: string;
  /** The update's JSON before the text, and from there to the position. */
  readonly before: string;
  readonly after: string;
}

const TIME = '"timestamp":';
const TEXT = ',"content":{"role":"model","parts":[{"text":';
/** Digits of a time in milliseconds, for some thousand years. */
const MAX_DIGITS = 16;

const EMPTY = '""';
const LITERAL = /^"(?:[^"\\]|\\.)*"$/;
const EMPTY_TEXT = '"parts":[{"text":""';
const END = '"}}}}';

/**
 * Writes the JSON of updates straight from the JSON of events. Chunks of one answer, which are most of a stream, differ in
 * their time and text alone, and their updates in text and position: all else is compared with the last chunk, and neither
 * parsed nor written again.
 */
export class ChunkTexts {
  #last: Template | undefined;

  /** The update's JSON; undefined if the event differs from the last chunk in more than that, or has no text. */
  textOf(json: string, cursor: string): string | undefined {
    const last = this.#last;
    if (last === undefined) return undefined;
    const from = last.head.length;
    // V8 compares the characters of slices at once, and those of `startsWith` and `endsWith` one by one: a third of the time.
    if (json.slice(0, from) !== last.head || json.slice(-last.tail.length) !== last.tail) return undefined;
    const at = json.indexOf(TEXT, from);
    if (at === -1 || at - from > MAX_DIGITS) return undefined;
    const start = at + TEXT.length;
    const end = json.length - last.tail.length;
    // An empty text has no update.
    if (end - start <= EMPTY.length) return undefined;
    const literal = json.slice(start, end);
    // A quote in it may be escaped, or end it: what follows would be another part.
    if (literal.indexOf('"', 1) !== literal.length - 1 && !LITERAL.test(literal)) return undefined;
    return last.before + literal + last.after + cursor + END;
  }

  /** Keeps what the update of a chunk has around its text. */
  learn(json: string, { payload }: StreamResponse): void {
    this.#last = payload?.$case === "artifactUpdate" ? templateOf(json, payload.value) : undefined;
  }

  /** The next chunk is one of another answer. */
  forget(): void {
    this.#last = undefined;
  }
}

function templateOf(json: string, update: TaskArtifactUpdateEvent): Template | undefined {
  const { artifact, lastChunk, metadata } = update;
  const text = artifact && bareTextOf(artifact);
  if (artifact === undefined || text === undefined || lastChunk || metadata?.[CURSOR_EXTENSION] === undefined)
    return undefined;
  const timeAt = json.indexOf(TIME) + TIME.length;
  const textAt = json.indexOf(TEXT, timeAt);
  const literal = JSON.stringify(text);
  if (textAt === -1 || textAt - timeAt > MAX_DIGITS || !json.startsWith(literal, textAt + TEXT.length))
    return undefined;
  const [part] = artifact.parts;
  const empty = { ...artifact, parts: part ? [{ ...part, content: { $case: "text", value: "" } as const }] : [] };
  // The position is the end of the JSON.
  const { [CURSOR_EXTENSION]: _, ...others } = metadata;
  const ordered = { ...others, [CURSOR_EXTENSION]: { cursor: "" } };
  const value = { ...update, artifact: empty, append: true, metadata: ordered };
  const shown = JSON.stringify(StreamResponse.toJSON({ payload: { $case: "artifactUpdate", value } }));
  // Names and ids have no bare quotes, so that the mark is in the JSON once.
  const at = shown.indexOf(EMPTY_TEXT) + EMPTY_TEXT.length;
  if (at < EMPTY_TEXT.length || !shown.endsWith(END)) return undefined;
  return {
    head: json.slice(0, timeAt),
    tail: json.slice(textAt + TEXT.length + literal.length),
    before: shown.slice(0, at - EMPTY.length),
    after: shown.slice(at, -END.length),
  };
}

/** The text of an artifact that is one part, and nothing else. */
function bareTextOf({ parts }: Artifact): string | undefined {
  const [part, ...others] = parts;
  const isBare = others.length === 0 && part?.metadata === undefined && part?.filename === "" && part.mediaType === "";
  return isBare && part.content?.$case === "text" ? part.content.value : undefined;
}
