/** The share of runs that passed, with the interval that contains the true share in 95 % of all evaluations. */
export interface PassRate {
  readonly passed: number;
  readonly runs: number;
  readonly rate: number;
  readonly interval: readonly [low: number, high: number];
}

/** The value that a normal distribution exceeds, in either direction, in 5 % of all cases. */
const Z = 1.959963984540054;

/** The pass rate with Wilson's score interval, which holds for few runs too. `runs` is at least 1. */
export function passRate(passed: number, runs: number): PassRate {
  const rate = passed / runs;
  const scale = 1 + Z ** 2 / runs;
  const centre = (rate + Z ** 2 / (2 * runs)) / scale;
  const half = (Z / scale) * Math.sqrt((rate * (1 - rate)) / runs + Z ** 2 / (4 * runs ** 2));
  return { passed, runs, rate, interval: [Math.max(0, centre - half), Math.min(1, centre + half)] };
}

type Count = Pick<PassRate, "passed" | "runs">;

/**
 * How probable it is to see so few passes now, or fewer, if the true pass rate has not changed: Fisher's exact test in one
 * direction.
 */
export function dropProbability(before: Count, now: Count): number {
  const passed = before.passed + now.passed;
  const runs = before.runs + now.runs;
  const all = logChoose(runs, now.runs);
  let probability = 0;
  for (let count = Math.max(0, passed - before.runs); count <= now.passed; count += 1)
    probability += Math.exp(logChoose(passed, count) + logChoose(runs - passed, now.runs - count) - all);
  return Math.min(1, probability);
}

/** The logarithm of the number of ways to choose. */
function logChoose(from: number, chosen: number): number {
  return logFactorial(from) - logFactorial(chosen) - logFactorial(from - chosen);
}

function logFactorial(value: number): number {
  let sum = 0;
  for (let factor = 2; factor <= value; factor += 1) sum += Math.log(factor);
  return sum;
}
