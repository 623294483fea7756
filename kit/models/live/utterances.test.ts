import { describe, expect, it } from "vitest";
import type { Blob } from "#kit/events/content.ts";
import { UTTERANCE_HERTZ, utterancesIn } from "./utterances.ts";

/** A tone, or noise of this loudness, as the chunks of a microphone. */
function* sound(ms: number, level: number, { hertz = UTTERANCE_HERTZ, chunkMs = 20 } = {}): Generator<Blob> {
  const samples = Math.round((hertz * ms) / 1000);
  const bytes = Buffer.alloc(samples * 2);
  for (let index = 0; index < samples; index += 1)
    bytes.writeInt16LE(Math.round(level * Math.SQRT2 * Math.sin((2 * Math.PI * 440 * index) / hertz)), index * 2);
  const size = Math.max(1, Math.round((hertz * chunkMs) / 1000)) * 2;
  for (let at = 0; at < bytes.length; at += size)
    yield { mimeType: `audio/pcm;rate=${hertz}`, data: bytes.subarray(at, at + size).toString("base64") };
}

async function* microphone(...parts: readonly Iterable<Blob>[]): AsyncGenerator<Blob> {
  for (const part of parts) yield* part;
}

/** Lengths of the utterances in milliseconds. */
async function lengths(...parts: readonly Iterable<Blob>[]): Promise<number[]> {
  const found = await Array.fromAsync(utterancesIn(microphone(...parts), { silenceMs: 500 }));
  return found.map(({ length }) => length / 2 / (UTTERANCE_HERTZ / 1000));
}

describe("utterancesIn", () => {
  it("finds each utterance with the moment before it, up to the end of the silence", async () => {
    const parts = [sound(2000, 20), sound(1000, 4000), sound(700, 20), sound(400, 4000), sound(700, 20)];
    expect(await lengths(...parts)).toEqual(
      [300 + 1000 + 500, 200 + 300 - 300 + 400 + 500].map((ms) => expect.closeTo(ms, -3)),
    );
  });

  it.each([
    ["silence", [sound(5000, 50)]],
    ["a click", [sound(1000, 20), sound(40, 9000), sound(1000, 20)]],
    ["nothing", []],
    ["half a sample", [[{ mimeType: "audio/pcm", data: "AA==" }]]],
  ])("finds none in %s", async (_, parts) => {
    expect(await lengths(...parts)).toEqual([]);
  });

  it("is not held open by a loud room, once it has heard it", async () => {
    const [first, ...rest] = await lengths(sound(10_000, 200), sound(1000, 4000), sound(1000, 200));
    expect([first, rest]).toEqual([expect.closeTo(1800, -2), []]);
  });

  it("ends what is said when the microphone is muted", async () => {
    expect(await lengths(sound(500, 20), sound(1000, 4000))).toEqual([expect.closeTo(1300, -2)]);
  });

  it("cuts an utterance without an end", async () => {
    expect(await lengths(sound(130_000, 4000))).toEqual([60_000, 60_000, expect.closeTo(10_000, -2)]);
  });

  it.each([8000, 24_000, 48_000])("takes sound of %i hertz, in chunks of any size", async (hertz) => {
    for (const chunkMs of [7, 100]) {
      const of = (ms: number, level: number) => sound(ms, level, { hertz, chunkMs });
      expect(await lengths(of(500, 20), of(1000, 4000), of(700, 20))).toEqual([expect.closeTo(1800, -2)]);
    }
  });

  it("keeps a break within a sentence", async () => {
    expect(
      await lengths(sound(500, 20), sound(600, 4000), sound(300, 20), sound(600, 4000), sound(700, 20)),
    ).toHaveLength(1);
  });
});
