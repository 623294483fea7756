/** Below this the ratio is meaningless: the clock, garbage collection or the compiler weigh more than the work. */
const NEGLIGIBLE_MS = 60;

/**
 * Ratio of the processor time of this thread's work for an input that is `factor` times as long: about `factor` for
 * linear work, its square for quadratic work. Processor time does not grow when other processes keep the machine busy,
 * and the least of several attempts excludes other work of this process, so that a bound between the two is reliable.
 * Work that is fast for the longer input as well counts as linear.
 */
export async function cpuGrowth(work: (length: number) => unknown, length: number, factor: number): Promise<number> {
  const long = await leastCpuMs(() => work(length * factor), NEGLIGIBLE_MS);
  if (long <= NEGLIGIBLE_MS) return 1;
  return long / Math.max(0.5, await leastCpuMs(() => work(length), 0));
}

/** The least CPU time of three attempts. Stops early after an attempt that takes at most `enoughMs`. */
async function leastCpuMs(work: () => unknown, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && least > enoughMs; attempt += 1) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
