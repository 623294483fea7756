import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { drawRecording, type RecordedLine } from "./draw-recording.ts";
import { runKillDemo } from "./kill-demo.ts";

/** `npm run demo:kill [-- --six] [--svg file]`: a process is killed in mid-answer, and the answer is completed. */
const { values } = parseArgs({ options: { six: { type: "boolean", default: false }, svg: { type: "string" } } });
const startedAt = performance.now();
const lines: RecordedLine[] = [];
const print = (text: string): void => {
  const atMs = performance.now() - startedAt;
  lines.push({ text, atMs });
  process.stdout.write(`${(atMs / 1000).toFixed(1).padStart(5)} s  ${text}\n`);
};
const { printed, read, stored, answer } = await runKillDemo({ on: values.six ? "six" : "one", print });
const isWhole = printed.join() === "1,2,3,4,5,6" && read.join() === stored.join() && answer.endsWith("twice.");
if (values.svg !== undefined) writeFileSync(values.svg, drawRecording(lines));
if (!isWhole) {
  process.stderr.write("Something was lost, or happened twice.\n");
  process.exitCode = 1;
}
