import type { AttackedServer } from "./attacked-server.ts";

const PAUSE_MS = 50;

/** Generous for a busy machine. A process that decodes in quadratic time does not answer for minutes. */
export const MAX_HEALTH_MS = 10_000;
/** Of a heap of 512 MB: the young generation, code, and answers that are being read come on top. */
export const MAX_RSS_MIB = 1100;

/** The slowest answer to a check of health, and the most memory of the process, while work is done. */
export interface Health {
  readonly slowestMs: number;
  readonly largestMib: number;
}

export async function watched<Result>(
  server: AttackedServer,
  work: Promise<Result>,
): Promise<{ readonly result: Result; readonly health: Health }> {
  const health = { slowestMs: 0, largestMib: 0 };
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver && server.end === undefined) {
      const before = performance.now();
      const response = await fetch(new URL("/health", server.url)).catch(() => undefined);
      await response?.body?.cancel();
      health.slowestMs = Math.max(health.slowestMs, performance.now() - before);
      if (server.end === undefined)
        health.largestMib = Math.max(health.largestMib, ...server.residentBytes.map((bytes) => bytes / 2 ** 20));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  const watching = watch();
  const result = await work;
  isOver = true;
  await watching;
  return { result, health };
}
