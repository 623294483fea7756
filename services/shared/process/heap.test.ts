import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);

/**
 * Keeps a fifth of a million objects, then a million, replaces each six times, and prints the largest heap as a multiple
 * of the heap with these objects alone.
 */
const SCRIPT = `
  import { setImmediate } from "node:timers/promises";
  import { limitHeap } from ${JSON.stringify(new URL("./heap.ts", import.meta.url).href)};
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
