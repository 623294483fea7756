import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const HEAP = JSON.stringify(new URL("./heap.ts", import.meta.url).href);

/**
 * Keeps a fifth of a million objects, then a million, replaces each six times, and prints the largest heap as a multiple
 * of the heap with these objects alone.
 */
const SCRIPT = `
  import { setImmediate } from "node:timers/promises";
  import { limitHeap } from ${HEAP};
  limitHeap();
  const live = [];
  const fill = (count) => {
    while (live.length < count) live.push({ round: -1, values: [live.length, -1] });
    globalThis.gc();
  };
  fill(200_000);
  // Until the first collection has been reported.
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  fill(1_000_000);
  const before = process.memoryUsage().heapUsed;
  let largest = before;
  for (let round = 0; round < 2_000; round += 1) {
    for (let index = 0; index < 3_000; index += 1) {
      live[(round * 3_000 + index) % live.length] = { round, values: [index, round] };
    }
    largest = Math.max(largest, process.memoryUsage().heapUsed);
    await setImmediate();
  }
  console.log(largest / before);
`;

it("collects garbage long before the heap is a multiple of its live objects", async () => {
  const { stdout } = await run(process.execPath, ["--expose-gc", "--input-type=module", "--eval", SCRIPT]);

  expect(Number(stdout)).toBeLessThan(2.5);
});

/**
 * Keeps the first arrays that a function makes, then makes a million that it drops at once, each with a text of its own.
 * Prints how many megabytes are kept of them.
 */
const DROPS = `
  import { setImmediate } from "node:timers/promises";
  import { getHeapSpaceStatistics } from "node:v8";
  import { limitHeap } from ${HEAP};
  limitHeap();
  const oldBytes = () => getHeapSpaceStatistics().find((space) => space.space_name === "old_space").space_used_size;
  const make = (text) => [text];
  const first = [];
  for (let count = 0; count < 200_000; count += 1) first.push(make("first-" + count));
  // Twice: the first arrays are old then.
  for (let count = 0; count < 2; count += 1) globalThis.gc({ type: "minor" });
  const before = oldBytes();
  let most = before;
  for (let turn = 0; turn < 100; turn += 1) {
    let dropped;
    for (let count = 0; count < 10_000; count += 1) dropped = make("dropped-" + turn + "-" + count);
    await setImmediate();
    most = Math.max(most, oldBytes(), dropped.length);
  }
  console.log((most - before) / 1e6);
`;

it("keeps no array that is dropped at once, whatever the first ones of its kind did", async () => {
  const { stdout } = await run(process.execPath, ["--expose-gc", "--input-type=module", "--eval", DROPS]);

  expect(Number(stdout)).toBeLessThan(5);
});
