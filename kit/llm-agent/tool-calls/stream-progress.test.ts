import { describe, expect, it } from "vitest";
import { readStream } from "./stream-progress.ts";

const { signal } = new AbortController();

function streamOf(values: readonly unknown[], methods: object = {}): AsyncIterable<unknown> {
  const left = [...values];
  const next = async () => ({ done: left.length === 0, value: left.shift() });
  return { [Symbol.asyncIterator]: () => ({ next, ...methods }) };
}

describe("a tool's stream", () => {
  it("gives its last value, and is not closed after its end", async () => {
    let closed = 0;
    const methods = { return: async () => ({ done: true, value: (closed += 1) }) };
    expect(await readStream(streamOf([1, 2], methods), async () => {}, signal)).toBe(2);
    expect(closed).toBe(0);
  });

  it("is closed if its values cannot be shown, or the call has no more time", async () => {
    let closed = 0;
    const stream = () => streamOf([1, 2], { return: async () => ({ done: true, value: (closed += 1) }) });
    const gone = async () => {
      throw new Error("gone");
    };
    await expect(readStream(stream(), gone, signal)).rejects.toThrow("gone");
    await expect(readStream(stream(), gone, AbortSignal.abort(new Error("late")))).rejects.toThrow("late");
    expect(closed).toBe(2);
  });

  it("may have no way to be closed", async () => {
    const gone = async () => {
      throw new Error("gone");
    };
    await expect(readStream(streamOf([1]), gone, signal)).rejects.toThrow("gone");
  });
});
