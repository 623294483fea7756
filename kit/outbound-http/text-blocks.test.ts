import { describe, expect, it } from "vitest";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { type BlockKind, TextBlocks } from "./text-blocks.ts";

const LIMITS = { maxBytes: 1_000_000, maxLines: 1000, maxValues: 300_000, maxBlocks: 100_000 };
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function blocksOf(chunks: readonly string[], kind: BlockKind = "events", limits = LIMITS): readonly string[] {
  const cutter = new TextBlocks(kind, limits);
  const blocks = chunks.flatMap((chunk) => cutter.add(encode(chunk)));
  const last = cutter.end();
  return [...blocks, ...(last === undefined ? [] : [last])].map((block) => new TextDecoder().decode(block));
}

/** The same by the specification of event streams, on the whole text. */
function expectedEvents(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.pop() ?? "";
  const events: string[] = [];
  let event: string[] = [];
  const isComment = () => event.length === 1 && event[0]?.startsWith(":") === true;
  for (const line of lines) {
    if (line !== "") event.push(line);
    else {
      if (event.length > 0 && !isComment()) events.push(`${event.join("\n")}\n\n`);
      event = [];
    }
  }
  const rest = [...event.map((line) => `${line}\n`), last].join("");
  return rest === "" ? events : [...events, rest];
}

describe("TextBlocks", () => {
  it("cuts any mix of line ends into the events of the specification, however it arrives", () => {
    const piece = fc.constantFrom("\r", "\n", "\r\n", "a", ":", "data: {}", "ü", "");
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 6 }), { maxLength: 8 }), (chunks) => {
        const texts = chunks.map((pieces) => pieces.join(""));
        expect(blocksOf(texts)).toEqual(expectedEvents(texts.join("")));
      }),
      { numRuns: 500 },
    );
  });

  it("gives whole lines of a stream of lines", () => {
    expect(blocksOf(['{"a":1}\r', '\n\n{"b"', ":2}\r\r", "{}"], "lines")).toEqual(['{"a":1}\n', '{"b":2}\n', "{}"]);
  });

  it("leaves out comments that keep a connection open", () => {
    expect(blocksOf([": still working\n\n", "data: 1\n\n", ":\n\n"])).toEqual(["data: 1\n\n"]);
  });

  it.each([
    ["a line", ["data: ", "x".repeat(101)], "has more than 100 bytes"],
    ["an event of many lines", ["ab".repeat(51), "\n"], "has more than 100 bytes"],
    ["many short events", ["a\n\n".repeat(11)], "has more than 10 events"],
    ["many short lines", ["a\r".repeat(11), "a\r".repeat(11)], "has more than 20 lines"],
  ])("refuses %s beyond its limits", (_, chunks, problem) => {
    expect(() => blocksOf(chunks, "events", { ...LIMITS, maxBytes: 100, maxLines: 20, maxBlocks: 10 })).toThrow(
      problem,
    );
  });

  it("refuses an event of more values than can be parsed in little memory", () => {
    expect(() => blocksOf([`data: [${"[],".repeat(200_000)}[]]\n\n`])).toThrow("has more than 300000 values");
  });

  it.each(["\r", "\n", "\r\n", "a\r\r", ":\n\n", "x", "x\r"])("reads a flood of %j in linear time", (piece) => {
    const chunk = encode(piece.repeat(Math.ceil(65_536 / piece.length)));
    const cutter = new TextBlocks("events", { maxBytes: 1e9, maxLines: 1e9, maxValues: 1e9, maxBlocks: 1e9 });
    const before = process.threadCpuUsage();
    // 6 MB. A decoder that looks at all that follows for each line end needs minutes.
    for (let count = 0; count < 100; count += 1) cutter.add(chunk);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(3);
  });
});
