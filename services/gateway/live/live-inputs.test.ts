import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import type { LiveRequest } from "#kit/core/context/live-request.ts";
import { LiveInputs } from "./live-inputs.ts";

const MEBIBYTE = 1024 * 1024;
const SOUND: LiveRequest = { blob: { mimeType: "audio/pcm", data: "AAAA" } };
const TURN: LiveRequest = { content: { role: "user", parts: [{ text: "hi" }] } };

/** The numbers of the messages that a reader gets until there are no more. */
async function readAll(inputs: LiveInputs): Promise<readonly number[]> {
  const read: number[] = [];
  const stop = new AbortController();
  const reading = (async () => {
    for await (const { n } of inputs.read(stop.signal)) read.push(n);
  })();
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await reading;
  return read;
}

it("sends again what was not taken, without the oldest media if a lost runner had taken too little", async () => {
  const dropped: number[] = [];
  const inputs = new LiveInputs(
    () => {},
    (messages) => void dropped.push(messages),
  );
  inputs.add(TURN, 100);
  for (let n = 2; n <= 10; n += 1) inputs.add(SOUND, MEBIBYTE - 1000);
  expect(await readAll(inputs)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  // Half of 8 MiB is left, and the turn, which is no media.
  expect(await readAll(inputs)).toEqual([1, 7, 8, 9, 10]);
  expect(dropped).toEqual([5]);
  inputs.taken(8);
  expect(await readAll(inputs)).toEqual([9, 10]);
});

it("is full beyond a mebibyte that no runner has read, and says when there is room again", async () => {
  let rooms = 0;
  const inputs = new LiveInputs(() => {
    rooms += 1;
  });
  inputs.add(SOUND, MEBIBYTE - 200);
  expect(inputs.isFull).toBe(false);
  inputs.add(SOUND, 0);
  expect(inputs.isFull).toBe(true);
  expect(await readAll(inputs)).toEqual([1, 2]);
  expect([rooms, inputs.isFull]).toEqual([1, false]);
  // What was not taken waits for the next runner.
  const again = inputs.read(new AbortController().signal);
  expect((await again.next()).value?.n).toBe(1);
  expect([rooms, inputs.isFull]).toEqual([2, false]);
  inputs.add(TURN, MEBIBYTE);
  expect(inputs.isFull).toBe(true);
  await again.return();
});

it("numbers the messages of a client that comes back, ends when it leaves, and keeps no listener", async () => {
  const inputs = new LiveInputs(
    () => {},
    () => {},
    7,
  );
  const { signal } = new AbortController();
  const reader = inputs.read(signal);
  inputs.add(TURN, 1);
  expect((await reader.next()).value).toMatchObject({ n: 7, request: TURN });
  const waiting = reader.next();
  inputs.add(SOUND, 1);
  expect((await waiting).value?.n).toBe(8);
  inputs.end();
  // Nothing comes after the end.
  inputs.add(SOUND, 1);
  expect(await reader.next()).toEqual({ done: true, value: undefined });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
