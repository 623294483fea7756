// restore-after.ts PID: puts the clone's files back when the process ends, unless that has happened before.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { restoreFiles } from "./swap-files.ts";

const LOOK_EVERY_MS = 100;

const pid = Number(process.argv[2]);
while (isRunning(pid)) await pause(LOOK_EVERY_MS);
restoreFiles(join(import.meta.dirname, "../.."));

function isRunning(process_: number): boolean {
  try {
    return process.kill(process_, 0);
  } catch {
    return false;
  }
}
