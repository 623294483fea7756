import { describe, expect, it } from "vitest";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { type SseMessage, SseParser } from "./sse-parser.ts";

const tooLarge = (): Error => new Error("too large");
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function parse(chunks: readonly Uint8Array[], max = 1_000_000) {
  const parser = new SseParser(max, tooLarge);
  const messages = chunks.flatMap((chunk) => parser.push(chunk));
  return { messages, lastEventId: parser.lastEventId, retryMs: parser.retryMs };
}

const parseText = (text: string) => parse([bytesOf(text)]);

/** The bytes, cut at the places. */
function cut(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const dataOf = (messages: readonly SseMessage[]): readonly string[] => messages.map(({ data }) => data);

describe("SseParser", () => {
  it.each<[string, string, readonly string[]]>([
    ["one line", "data: a\n\n", ["a"]],
    ["no space", "data:a\n\n", ["a"]],
    ["one space only is removed", "data:  a\n\n", [" a"]],
    ["several lines", "data: a\ndata\ndata: b\n\n", ["a\n\nb"]],
    ["carriage returns", "data: a\r\rdata: b\r\r", ["a", "b"]],
    ["both line ends", "data: a\r\n\r\ndata: b\n\r\n", ["a", "b"]],
    ["a byte order mark", "\ufeffdata: a\n\n", ["a"]],
    ["a second byte order mark is text", "\ufeffdata: a\n\n\ufeffdata: b\n\n", ["a"]],
    ["comments and unknown fields", ": data: x\nfoo: y\ndata: a\n\n", ["a"]],
    ["names are exact", "Data: x\n data: y\ndata: a\n\n", ["a"]],
    ["empty data is an event", "data\n\n", [""]],
    ["no data is not an event", "event: x\nid: 1\n\n", []],
    ["an incomplete block is not an event", "data: a\n", []],
    ["colons of the value", "data: a:b: c\n\n", ["a:b: c"]],
    ["broken UTF-8", "data: a\ufffd\n\n", ["a\ufffd"]],
  ])("reads %s", (_, text, data) => {
    expect(dataOf(parseText(text).messages)).toEqual(data);
  });

  it("keeps the id for later blocks, also from a block without data, and ignores one with a null character", () => {
    const text = "data: a\nid: 1\n\nid: 2\n\ndata: b\n\ndata: c\nid: x\0y\n\ndata: d\nid\n\nid: 9\n";
    expect(parseText(text)).toEqual({
      messages: [
        { data: "a", event: "message", id: "1" },
        { data: "b", event: "message", id: "2" },
        { data: "c", event: "message", id: "2" },
        { data: "d", event: "message", id: "" },
      ],
      lastEventId: "",
      retryMs: undefined,
    });
  });

  it("reads names of events for their block only, and the pause in milliseconds", () => {
    const { messages, retryMs } = parseText("event: end\ndata: a\nretry: 1500\n\nretry: soon\ndata: b\n\n");
    expect(messages.map(({ event }) => event)).toEqual(["end", "message"]);
    expect(retryMs).toBe(1500);
  });

  it("reads the same from any chunks", () => {
    const line = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, "")),
      fc.constantFrom("data: x", "data", "data: 😀é", ": c", "id: 7", "id", "event: e", "retry: 5", "", ""),
    );
    const stream = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r", "\r\n")), { maxLength: 30 });
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 20 }), (lines, places) => {
        const bytes = bytesOf(lines.map(([text, end]) => text + end).join(""));
        const bytewise = Array.from(bytes, (byte) => Uint8Array.of(byte));
        const whole = parse([bytes]);
        expect(parse(cut(bytes, places))).toEqual(whole);
        expect(parse(bytewise)).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  it("reads back what a server writes", () => {
    const text = fc.string({ unit: "binary", maxLength: 20 });
    const message = fc.record({ data: text, event: text, id: text });
    const clean = (value: string): string => value.replace(/[\r\n\0]/g, "");
    fc.assert(
      fc.property(fc.array(message), (written) => {
        const expected = written.map(({ data, event, id }) => ({
          data: data.replace(/\r\n?/g, "\n"),
          event: clean(event) || "message",
          id: clean(id),
        }));
        const frames = expected.map(({ data, event, id }) => {
          const lines = data.split("\n").map((line) => `data: ${line}\n`);
          return `${lines.join("")}event: ${event}\nid: ${id}\n\n`;
        });
        // A mark at the start of the stream is not part of its text.
        expect(parseText(`:\n${frames.join("")}`).messages).toEqual(expected);
      }),
    );
  });

  it("refuses a line, and an event, over its limit", () => {
    expect(() => parse([bytesOf(`data: ${"x".repeat(94)}`)], 100)).not.toThrow();
    expect(() => parse([bytesOf(`data: ${"x".repeat(95)}`)], 100)).toThrow("too large");
    expect(() => parse([bytesOf("data: xx\n".repeat(40))], 100)).toThrow("too large");
    expect(() => parse([bytesOf("data\n".repeat(101))], 100)).toThrow("too large");
    expect(() => parse([bytesOf("data: xx\n\n".repeat(1000))], 100)).not.toThrow();
  });

  it("takes time in proportion to the bytes of a line in small chunks", () => {
    const parser = new SseParser(10_000_000, tooLarge);
    const chunk = bytesOf("0123456789");
    parser.push(bytesOf("data: "));
    for (let index = 0; index < 300_000; index += 1) parser.push(chunk);
    expect(parser.push(bytesOf("\n\n"))[0]?.data).toHaveLength(3_000_000);
  });
});
