import { describe, expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { HeldInput } from "./held-input.ts";
import type { LiveInput } from "./live-session.ts";

const media = (sequence: number, size = 100): LiveInput => ({
  sequence,
  kind: "realtime",
  input: { blob: { mimeType: "audio/pcm", data: "A".repeat(size) } },
});
const content = (sequence: number, text = "hi"): LiveInput => ({
  sequence,
  kind: "content",
  content: userContent(text),
  turnComplete: true,
});
const numbers = (held: HeldInput): readonly number[] => held.inputs.map(({ sequence }) => sequence);

describe("input that is held", () => {
  it("is returned and removed once it is consumed", () => {
    const held = new HeldInput();
    for (const input of [media(1), content(2), media(3)]) held.add(input);
    expect(held.firstTurn).toBe(2);
    held.consumeMedia(2);
    expect(numbers(held)).toEqual([2, 3]);
    expect(held.consumeTurns(2)).toEqual([userContent("hi")]);
    expect(numbers(held)).toEqual([3]);
    expect(held.consumeTurns(3)).toEqual([]);
    expect(held.firstTurn).toBe(0);
  });

  it("loses its oldest media above the bound, and no content", () => {
    const held = new HeldInput(1000);
    held.add(content(1, "x".repeat(5000)));
    for (let sequence = 2; sequence < 12; sequence += 1) held.add(media(sequence));
    expect(numbers(held)).toEqual([1, 6, 7, 8, 9, 10, 11]);
    expect(held.takeDropped()).toEqual({ chunks: 4, bytes: 4 * 132 });
    expect(held.takeDropped()).toBeUndefined();
  });

  it("misses no media that was consumed since", () => {
    const held = new HeldInput(1000);
    for (let sequence = 1; sequence < 10; sequence += 1) held.add(media(sequence));
    held.consumeMedia(9);
    expect(held.takeDropped()).toBeUndefined();
    held.add(media(10, 900));
    expect(numbers(held)).toEqual([10]);
  });

  it("refuses contents without end", () => {
    const held = new HeldInput();
    const large = content(1, "x".repeat(20 * 1024 * 1024));
    held.add(large);
    expect(() => held.add(large)).toThrow(expect.objectContaining({ reason: "QUEUE_FULL" }));
    held.consumeTurns(1);
    held.add(large);
  });
});
