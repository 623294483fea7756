/** Below this the ratio says nothing: the clock, a collection of garbage or the compiler weighs more than the work. */
const NEGLIGIBLE_MS = 60;

/**
 * How many times more processor time of this thread work takes for an input that is `factor` times as long: about `factor` when it is linear,
 * its square when it is quadratic. Processor time does not grow when other processes keep the machine busy, and the least of several
 * attempts leaves out what happened beside the work, so that a bound between the two is not a matter of luck. Work that is quick for the
 * longer input as well counts as linear.
 */
export async function cpuGrowth(work: (length: number) => unknown, length: number, factor: number): Promise<number> {
  const long = await leastCpuMs(() => work(length * factor), NEGLIGIBLE_MS);
  if (long <= NEGLIGIBLE_MS) return 1;
  return long / Math.max(0.5, await leastCpuMs(() => work(length), 0));
}

/** Of at most three attempts, the last of which is the first that takes no longer than `enoughMs`. */
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
