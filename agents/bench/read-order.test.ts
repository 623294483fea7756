import { describe, expect, it } from "vitest";
import { readOrder } from "./read-order.ts";

describe("readOrder", () => {
  it.each(["", "hello there", "small=1", "n=9 small=1", "n=x", "n=-1", "=5"])("takes %j for a small answer", (text) => {
    expect(readOrder(text)).toEqual({ kind: "small" });
  });

  it.each([
    ["n=3 d=10 s=5", { chunks: 3, characters: 5, pauseMs: 10 }],
    ["n=3", { chunks: 3, characters: 20, pauseMs: 0 }],
    ["s=5", { chunks: 1, characters: 5, pauseMs: 0 }],
    ["small=0 d=1", { chunks: 1, characters: 20, pauseMs: 1 }],
    ["n=20000 s=1048576 brief=1", { chunks: 20_000, characters: 1_048_576, pauseMs: 0, brief: true }],
    ["n=0 s=0", { chunks: 1, characters: 1, pauseMs: 0 }],
    ["n=999999999 s=1048576 d=999999", { chunks: 16, characters: 1_048_576, pauseMs: 60_000 }],
  ])("reads %j", (text, order) => {
    expect(readOrder(text)).toEqual({ kind: "text", ...order });
  });

  it("reads how many events to append", () => {
    expect(readOrder("fill=500 n=3")).toEqual({ kind: "fill", events: 500 });
    expect(readOrder("fill=1000000")).toEqual({ kind: "fill", events: 10_000 });
  });
});
