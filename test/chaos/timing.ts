import { setTimeout as pause } from "node:timers/promises";

const LOOK_EVERY_MS = 20;

/** Waits until the condition holds; throws an error with its name after the limit. */
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

/** A point in the schedule, never a wait for a condition. */
export function pauseFor(ms: number): Promise<void> {
  return pause(ms);
}
