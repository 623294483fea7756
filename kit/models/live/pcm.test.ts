import { describe, expect, it } from "vitest";
import { isPcm, PcmResampler, rateOf } from "./pcm.ts";

function samplesOf(bytes: Buffer): readonly number[] {
  return Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readInt16LE(index * 2));
}

function bytesOf(samples: readonly number[]): Buffer {
  return Buffer.from(Int16Array.from(samples).buffer);
}

describe("a resampler", () => {
  it("keeps a line straight over chunks of any length", () => {
    const line = Array.from({ length: 1600 }, (_, index) => index * 3);
    for (const size of [1, 7, 320, 1600]) {
      const resampler = new PcmResampler(16_000, 24_000);
      const converted: number[] = [];
      for (let at = 0; at < line.length; at += size)
        converted.push(...samplesOf(resampler.push(bytesOf(line.slice(at, at + size)))));
      expect(converted).toHaveLength(2399);
      expect(converted).toEqual(converted.map((_, index) => index * 2));
    }
  });

  it("converts downwards, and leaves the same rate as it is", () => {
    const tone = bytesOf(Array.from({ length: 480 }, () => 1000));
    expect(samplesOf(new PcmResampler(48_000, 24_000).push(tone))).toEqual(Array.from({ length: 240 }, () => 1000));
    expect(new PcmResampler(24_000, 24_000).push(tone)).toBe(tone);
  });

  it("reads nothing of a chunk without a whole sample", () => {
    expect(new PcmResampler(16_000, 24_000).push(Buffer.from([1]))).toHaveLength(0);
  });
});

it("reads the rate of a MIME type", () => {
  expect(rateOf("audio/pcm;rate=24000", 16_000)).toBe(24_000);
  expect(rateOf("audio/pcm; rate=8000", 16_000)).toBe(8000);
  expect(rateOf("audio/pcm", 16_000)).toBe(16_000);
  expect([isPcm("audio/pcm;rate=1"), isPcm("AUDIO/L16"), isPcm("audio/pcmu"), isPcm("audio/webm")]).toEqual([
    ...[true, true, false, false],
  ]);
});
