import { describe, expect, it } from "vitest";
import { type SseFrame, sseFrames } from "./sse-frames.ts";

async function framesOf(...chunks: readonly string[]): Promise<readonly SseFrame[]> {
  async function* given() {
    yield* chunks;
  }
  return Array.fromAsync(sseFrames(given()));
}

describe("sseFrames", () => {
  it("reads names, data and ids from chunks that end anywhere, and leaves comments out", async () => {
    const text = ': beat\n\nevent: case\nid: 7\ndata: {"a": 1}\n\ndata: b: c\ndata: d\n\nid: 8\n\ndata: cut';
    const expected = [
      { event: "case", data: '{"a": 1}', id: "7" },
      { event: "message", data: "b: c\nd", id: undefined },
    ];
    expect(await framesOf(text)).toEqual(expected);
    expect(await framesOf(...text)).toEqual(expected);
  });
});
