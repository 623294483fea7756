/**
 * What all random tests start from, unless `SEED` says otherwise: a run of the checks decides the same each time. A
 * commit may change the number; the failures that it then finds become cases of their own.
 */
const FIXED_SEED = 20_261_128;

/** The seed of this execution: `SEED=7` repeats one, `SEED=random` draws one, which test titles and reports name. */
export const TEST_SEED = readSeed(process.env["SEED"] ?? "");

function readSeed(text: string): number {
  if (text === "") return FIXED_SEED;
  if (text === "random") return Math.floor(performance.timeOrigin) % 2 ** 31;
  if (/^\d{1,10}$/.test(text)) return Number(text) % 2 ** 31;
  throw new Error(`SEED must be a whole number or "random", not "${text}".`);
}
