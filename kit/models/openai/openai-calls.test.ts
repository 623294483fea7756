import { describe, expect, it } from "vitest";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ObjectEnd } from "./object-end.ts";
import { OpenAiCalls } from "./openai-calls.ts";

const PIECES = 60_000;
const call = (index: number, id: string, args: string) => ({ index, id, function: { name: "look", arguments: args } });

describe("the pieces of an answer's calls", () => {
  it.each<[string, (at: number) => ReturnType<typeof call>, number]>([
    ["calls of index 0 with ids", (at) => call(0, `c${at}`, "{}"), PIECES],
    ["calls of one index and one id", (at) => call(0, "c", `{"n":${at}}`), PIECES],
    ["calls without ids", (at) => call(at, "", "{}"), PIECES],
    ["pieces of one call that repeat its name", (at) => call(0, "c", at === 0 ? '{"a":"' : "}"), 1],
    ["pieces of one call that repeat its name and open levels", (at) => call(0, "c", at === 0 ? '{"a":' : "[]"), 1],
    ["pieces with an id that comes late", (at) => call(at % 2, at < 2 ? "" : `c${at % 7}`, '{"a":"'), 14],
  ])("take time in proportion to their number: %s", (_, piece, count) => {
    verifies("peers:models:answer-size");
    const calls = new OpenAiCalls();
    const before = process.threadCpuUsage();
    for (let at = 0; at < PIECES; at += 1) calls.add([piece(at)]);
    const { user, system } = process.threadCpuUsage(before);
    expect(calls.length).toBe(count);
    // Work for each pair of pieces takes more than ten times as long.
    expect((user + system) / 1e6).toBeLessThan(3);
  });

  it("are no more calls than an answer may have", () => {
    verifies("peers:models:answer-size");
    const calls = new OpenAiCalls();
    expect(() => {
      for (let at = 0; at < 200; at += 1) calls.add(Array.from({ length: 1000 }, () => call(0, "", "{}")));
    }).toThrow("The model's answer has more than 100000 calls.");
    expect(calls.length).toBe(100_001);
  });
});

describe("the end of an object in pieces", () => {
  it(`is where the whole can be parsed, with SEED=${TEST_SEED}`, () => {
    const random = new SeededRandom(TEST_SEED).fork("objects");
    const value = (depth: number): unknown => {
      if (depth === 0) return random.pick(['"', "\\", '{"', "}]", "\\\\", "é", 1, null, true, [], {}]);
      return random.pick([[value(depth - 1), 2], { [String(value(0))]: value(depth - 1), "b]": [{}] }, value(0)]);
    };
    for (let round = 0; round < 300; round += 1) {
      const json = JSON.stringify({ a: value(3), b: value(2) }, null, random.pick([0, 1]));
      const end = new ObjectEnd();
      for (let at = 0; at < json.length; ) {
        expect(end.isReached, json.slice(0, at)).toBe(false);
        const size = random.pick([1, 1, 2, 5]);
        end.add(json.slice(at, at + size));
        at += size;
      }
      expect(end.isReached, json).toBe(true);
    }
  });
});
