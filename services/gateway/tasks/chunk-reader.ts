import type { Event } from "#kit/events/event.ts";

interface LastChunk {
  /** The JSON before its time, and after its text. */
  readonly head: string;
  readonly tail: string;
  readonly event: Event;
}

const TIME = '"timestamp":';
const TEXT = ',"content":{"role":"model","parts":[{"text":';
/** Digits of a time in milliseconds, for some thousand years. */
const MAX_DIGITS = 16;

/**
 * Reads chunks as runners of this platform have written them, so that their form needs no check. Chunks of one answer
 * differ in their time and text alone: all else is compared with the last chunk, and not parsed again.
 */
export class ChunkReader {
  #last: LastChunk | undefined;

  read(json: string): Event {
    return this.#readLike(this.#last, json) ?? this.#readWhole(json);
  }

  #readLike(last: LastChunk | undefined, json: string): Event | undefined {
    if (last === undefined || !json.startsWith(last.head) || !json.endsWith(last.tail)) return undefined;
    const from = last.head.length;
    const at = json.indexOf(TEXT, from);
    if (at === -1 || at - from > MAX_DIGITS) return undefined;
    const literal = json.slice(at + TEXT.length, json.length - last.tail.length);
    // A quote in it may be escaped, or end it: what follows would be another part.
    if (literal.length < 2 || literal.indexOf('"', 1) !== literal.length - 1) return undefined;
    const text: string = literal.includes("\\") ? JSON.parse(literal) : literal.slice(1, -1);
    const timestamp = Number(json.slice(from, at));
    return { ...last.event, timestamp, content: { role: "model", parts: [{ text }] } };
  }

  #readWhole(json: string): Event {
    // Only the runners of this platform write to its streams.
    const event = JSON.parse(json) as Event;
    const text = event.content?.parts?.length === 1 ? event.content.parts[0]?.text : undefined;
    const literal = JSON.stringify(text ?? "");
    const time = json.indexOf(TIME) + TIME.length;
    const at = json.indexOf(TEXT + literal, time);
    const isPlain = text !== undefined && at === time + String(event.timestamp).length;
    this.#last = isPlain
      ? { head: json.slice(0, time), tail: json.slice(at + TEXT.length + literal.length), event }
      : undefined;
    return event;
  }
}
