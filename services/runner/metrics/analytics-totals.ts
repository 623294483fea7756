import type { App } from "#kit/core/app.ts";
import { type AnalyticsCounts, AnalyticsPlugin } from "#kit/plugins/analytics/analytics-plugin.ts";

/** Rows by their outcome: `written`, or the reason of a loss. */
export type RowTotals = Readonly<Record<keyof AnalyticsCounts, number>>;

/** Counts the rows of all analytics plugins of this process, those of closed apps included. */
export class AnalyticsTotals {
  readonly #open = new Map<App, readonly AnalyticsPlugin[]>();
  #closed: RowTotals | undefined;

  /** The plugins of a runner for the app, the app's own and others. */
  opened(app: App, others: readonly AnalyticsPlugin[]): void {
    const own = app.plugins.filter((plugin) => plugin instanceof AnalyticsPlugin);
    if (own.length + others.length > 0) this.#open.set(app, [...own, ...others]);
  }

  closed(app: App): void {
    this.#closed = sumOf([this.#closed, ...countsOf(this.#open.get(app))]);
    this.#open.delete(app);
  }

  /** Undefined if no app has had such a plugin. */
  read(): RowTotals | undefined {
    return sumOf([this.#closed, ...[...this.#open.values()].flatMap(countsOf)]);
  }
}

function countsOf(plugins: readonly AnalyticsPlugin[] = []): readonly AnalyticsCounts[] {
  return plugins.map(({ counts }) => counts);
}

function sumOf(all: readonly (RowTotals | undefined)[]): RowTotals | undefined {
  let sum: Record<keyof AnalyticsCounts, number> | undefined;
  for (const counts of all) {
    if (counts === undefined) continue;
    sum ??= { ...NOTHING };
    for (const outcome of OUTCOMES) sum[outcome] += counts[outcome];
  }
  return sum;
}

const NOTHING: RowTotals = {
  written: 0,
  queue_full: 0,
  append_error: 0,
  serialization_error: 0,
  after_close: 0,
  shutdown_timeout: 0,
  offload_error: 0,
};
// The members of a const object are its keys.
const OUTCOMES = Object.keys(NOTHING) as readonly (keyof AnalyticsCounts)[];
