import type { UsageMetadata } from "#kit/events/content.ts";

/** The member of a model's counts with the number of its calls. */
export const CALLS = "calls";
/** The model of a call whose answer names none. */
export const UNNAMED_MODEL = "unknown";

/** Most models that a run's record names. The calls of others count for `UNNAMED_MODEL`. */
const MOST_MODELS = 20;
const MOST_NAME = 200;

type Counts = Record<string, number>;

/** Adds up what the model calls of one run report: in all, and for each model. */
export class RunUsage {
  readonly #total: Counts = {};
  readonly #models = new Map<string, Counts>();

  /** `model` is the name that the answer has. */
  add(usage: UsageMetadata, model: string = UNNAMED_MODEL): void {
    const counts = this.#countsOf(model.slice(0, MOST_NAME));
    counts[CALLS] = (counts[CALLS] ?? 0) + 1;
    for (const [key, value] of Object.entries(usage)) {
      if (typeof value !== "number") continue;
      this.#total[key] = (this.#total[key] ?? 0) + value;
      if (key !== CALLS) counts[key] = (counts[key] ?? 0) + value;
    }
  }

  total(): UsageMetadata {
    return { ...this.#total, models: Object.fromEntries(this.#models) };
  }

  #countsOf(model: string): Counts {
    const name = this.#models.has(model) || this.#models.size < MOST_MODELS ? model : UNNAMED_MODEL;
    const counts = this.#models.get(name) ?? {};
    this.#models.set(name, counts);
    return counts;
  }
}
