import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import type { LiveRequest } from "#kit/core/context/live-request.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { LiveAccount } from "./live-account.ts";
import { LiveInputs, type LiveInputsOptions } from "./live-inputs.ts";

const MEBIBYTE = 1024 * 1024;
const SOUND: LiveRequest = { blob: { mimeType: "audio/pcm", data: "AAAA" } };
const TURN: LiveRequest = { content: { role: "user", parts: [{ text: "hi" }] } };

function open(options: Partial<LiveInputsOptions> = {}, account = new LiveAccount(100 * MEBIBYTE)) {
  const share = account.open();
  return { account, inputs: new LiveInputs({ share, onRoom: () => {}, onOverflow: () => {}, ...options }) };
}

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
  const { inputs } = open({ onDrop: (messages) => void dropped.push(messages) });
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
  const { inputs } = open({
    onRoom: () => {
      rooms += 1;
    },
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
  const { inputs } = open({ first: 7 });
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

it("drops given media when all calls keep too much, and says when that is not enough", async () => {
  verifies("platform:live:account");
  const dropped: number[] = [];
  let overflows = 0;
  const account = new LiveAccount(4 * MEBIBYTE);
  const { inputs } = open(
    {
      onDrop: (messages) => void dropped.push(messages),
      onOverflow: () => {
        overflows += 1;
      },
    },
    account,
  );
  const other = account.open();
  for (let n = 1; n <= 4; n += 1) inputs.add(SOUND, MEBIBYTE - 1000);
  await readAll(inputs);
  // There was room for all that was given; another call takes its share.
  other.change(2 * MEBIBYTE);
  const rest = inputs.read(new AbortController().signal);
  for (let n = 1; n <= 4; n += 1) await rest.next();
  inputs.add(TURN, 100);
  expect([dropped, overflows]).toEqual([[3], 0]);
  // Messages that no runner has read are not dropped.
  for (let n = 1; n <= 3; n += 1) inputs.add(SOUND, MEBIBYTE);
  expect(overflows).toBeGreaterThan(0);
  expect(account.bytes).toBeLessThan(8 * MEBIBYTE);
  await rest.return();
});

it("counts nothing any more that was taken", async () => {
  const { inputs, account } = open();
  for (let n = 1; n <= 3; n += 1) inputs.add(SOUND, 1000);
  await readAll(inputs);
  expect(account.bytes).toBe(3600);
  await readAll(inputs);
  inputs.taken(2);
  // The last message was given back to the queue, and is given again.
  await readAll(inputs);
  inputs.taken(3);
  expect(account.bytes).toBe(0);
});
