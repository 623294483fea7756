import type { Metric, Registry } from "prom-client";

/** Where metrics are made known. */
export interface MetricRegistry extends Pick<Registry, "registerMetric"> {
  /** Whether histograms keep the trace of what they last saw in each bucket; not when absent. */
  readonly keepsExemplars?: boolean;
}

// Counters and histograms for paths where each microsecond counts. The library hashes a metric's labels at every change, also
// those that were named before; here a child is a plain object that the caller keeps, and the library is told at a scrape only.

interface HotMetricOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  readonly registry: MetricRegistry;
}

/** A value that goes up, or up and down. */
interface HotValue {
  add(amount: number): void;
}

interface HotTimer {
  /** The trace is kept where exemplars are. */
  observe(value: number, traceId?: string): void;
}

interface Exemplar {
  readonly traceId: string;
  readonly value: number;
}

type Labels<Label extends string> = Readonly<Record<Label, string>>;

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly exemplar?: Exemplar;
}

export function createHotValue<Label extends string>(
  type: "counter" | "gauge",
  options: HotMetricOptions<Label>,
): (labels: Labels<Label>) => HotValue {
  const children: { readonly labels: Labels<Label>; value: number }[] = [];
  register(options, type, () => children.map(({ labels, value }) => ({ labels, value })));
  return (labels) => {
    const child = { labels, value: 0 };
    children.push(child);
    return {
      add: (amount) => {
        child.value += amount;
      },
    };
  };
}

interface HistogramChild<Label extends string> {
  readonly labels: Labels<Label>;
  readonly counts: readonly number[];
  sum: number;
  /** By bucket, with gaps. */
  readonly exemplars: readonly (Exemplar | undefined)[] | undefined;
}

/** Buckets are upper bounds in ascending order. */
export function createHotHistogram<Label extends string>(
  options: HotMetricOptions<Label> & { readonly buckets: readonly number[] },
): (labels: Labels<Label>) => HotTimer {
  const { buckets, name, registry } = options;
  const children: HistogramChild<Label>[] = [];
  register(options, "histogram", () =>
    children.flatMap(({ labels, counts, sum, exemplars }) => {
      let total = 0;
      const samples: Sample[] = counts.map((count, index) => {
        total += count;
        const sample = {
          metricName: `${name}_bucket`,
          labels: { le: buckets[index] ?? "+Inf", ...labels },
          value: total,
        };
        const exemplar = exemplars?.[index];
        return exemplar === undefined ? sample : { ...sample, exemplar };
      });
      samples.push({ metricName: `${name}_sum`, labels, value: sum });
      samples.push({ metricName: `${name}_count`, labels, value: total });
      return samples;
    }),
  );
  return (labels) => {
    const counts = new Array<number>(buckets.length + 1).fill(0);
    const exemplars: Exemplar[] | undefined = registry.keepsExemplars === true ? [] : undefined;
    const child: HistogramChild<Label> = { labels, counts, sum: 0, exemplars };
    children.push(child);
    return {
      observe: (value, traceId) => {
        let index = 0;
        while (index < buckets.length && value > (buckets[index] ?? 0)) index += 1;
        counts[index] = (counts[index] ?? 0) + 1;
        child.sum += value;
        if (exemplars !== undefined && traceId !== undefined) exemplars[index] = { traceId, value };
      },
    };
  };
}

/** Values that are asked for at each scrape. */
export function addReadMetrics<Label extends string>(
  type: "counter" | "gauge",
  options: HotMetricOptions<Label> & {
    readonly read: () => readonly { readonly labels: Labels<Label>; readonly value: number }[];
  },
): void {
  register(options, type, options.read);
}

/** A value that is asked for at each scrape. */
export function addReadMetric(
  type: "counter" | "gauge",
  options: Omit<HotMetricOptions<never>, "labelNames"> & { readonly read: () => number },
): void {
  register({ ...options, labelNames: [] }, type, () => [{ labels: {}, value: options.read() }]);
}

function register(options: HotMetricOptions<string>, type: string, read: () => readonly Sample[]): void {
  const { name, help, labelNames, registry } = options;
  const metric = {
    name,
    labelNames,
    get: async () => ({ name, help, type, aggregator: "sum", values: read() }),
    reset: () => {},
  };
  // The registry asks its metrics for nothing but these; its types want its own classes.
  registry.registerMetric(metric as unknown as Metric);
}

/** Gives each key its value once; labels are few, and their children live as long as the process. */
export function resolveOnce<Value>(resolve: (label: string) => Value): (label: string) => Value {
  const known = new Map<string, Value>();
  return (label) => {
    const found = known.get(label);
    if (found !== undefined) return found;
    const value = resolve(label);
    known.set(label, value);
    return value;
  };
}
