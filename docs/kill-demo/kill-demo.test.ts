import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { drawRecording } from "./draw-recording.ts";
import { type KillDemo, runKillDemo } from "./kill-demo.ts";

async function demonstrate(on: KillDemo["on"]): Promise<void> {
  const lines: string[] = [];
  const { answer, printed, read, stored, attempts } = await runKillDemo({ on, print: (line) => void lines.push(line) });
  expect(answer).toMatch(/^The book is bound\. .* in it twice\.$/);
  expect(printed).toEqual([1, 2, 3, 4, 5, 6]);
  expect(read).toEqual(stored);
  expect(new Set(read).size).toBe(13);
  expect(attempts).toBe(2);
  expect(lines.filter((line) => line.startsWith("kill -9"))).toHaveLength(1);
}

it("completes an answer whose process is killed in the middle, on the reader's stream", {
  timeout: 120_000,
}, async () => {
  verifies("platform:demo:kill");
  await demonstrate("one");
});

it.skipIf(whyNoRedis() !== undefined)(
  "completes an answer whose runner is killed in the middle, on the reader's stream",
  { timeout: 240_000 },
  async () => {
    verifies("platform:demo:kill");
    await demonstrate("six");
  },
);

it("draws a recording in which each line appears when it was printed", () => {
  const svg = drawRecording([
    { text: "you     <Print>", atMs: 1000 },
    { text: "kill -9 it", atMs: 3000 },
    { text: "check   fine", atMs: 5000 },
  ]);
  expect(svg).toContain("&lt;Print&gt;");
  // 2 of 10 seconds.
  expect(svg).toContain("@keyframes l1{0%,20.00%{opacity:0}20.001%,100%{opacity:1}}");
  expect(svg).toContain('class="kill" style="animation:l1 10000ms');
});
