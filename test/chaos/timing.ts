import { setTimeout as pause } from "node:timers/promises";

const LOOK_EVERY_MS = 20;

/** Waits until it is so; throws with its name when that takes longer than the limit. */
export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  limitMs = 20_000,
): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`Not within ${limitMs} ms: ${what}.`);
    await pause(LOOK_EVERY_MS);
  }
}

/** A moment of the schedule, never a wait for something. */
export function pauseFor(ms: number): Promise<void> {
  return pause(ms);
}
