/** A metric as a scrape reads it. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** The name in OpenTelemetry's conventions, with the unit and the names behind the labels. */
  readonly otel?: OtelName | undefined;
  /** Called at each scrape. */
  readonly read: () => readonly Sample[];
}

export interface OtelName {
  readonly name: string;
  readonly unit: string;
  readonly attributes: readonly string[];
}

export interface Sample {
  /** The family's name when absent. */
  readonly name?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly exemplar?: Exemplar | undefined;
}

export interface Exemplar {
  readonly traceId: string;
  readonly value: number;
}

/**
 * The metrics of one process. Parts register theirs once; a scrape reads them all. A counter or histogram with labels
 * is a function that makes one child for each set of labels: the caller keeps the child, so that a change costs no
 * look-up.
 */
export class MetricRegistry {
  /** Whether histograms keep the trace of the last value in each bucket. */
  readonly keepsExemplars: boolean;
  readonly #families = new Map<string, MetricFamily>();

  constructor({ keepsExemplars = false }: { readonly keepsExemplars?: boolean } = {}) {
    this.keepsExemplars = keepsExemplars;
  }

  get families(): Iterable<MetricFamily> {
    return this.#families.values();
  }

  register(family: MetricFamily): void {
    if (this.#families.has(family.name)) throw new Error(`There already is a metric ${family.name}.`);
    this.#families.set(family.name, family);
  }
}

interface MetricOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  readonly registry: MetricRegistry;
}

/** A counter or a gauge for one set of labels. */
interface Value {
  add(amount: number): void;
}

/** A histogram for one set of labels. */
interface Histogram {
  /** `traceId` is kept only where exemplars are. */
  observe(value: number, traceId?: string): void;
}

type Labels<Label extends string> = Readonly<Record<Label, string>>;

export function createValue<Label extends string>(
  type: "counter" | "gauge",
  { name, help, registry }: MetricOptions<Label>,
): (labels: Labels<Label>) => Value {
  const children: { readonly labels: Labels<Label>; value: number }[] = [];
  registry.register({ name, help, type, read: () => children });
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
export function createHistogram<Label extends string>({
  name,
  help,
  registry,
  buckets,
  otel,
}: MetricOptions<Label> & { readonly buckets: readonly number[]; readonly otel?: OtelName }): (
  labels: Labels<Label>,
) => Histogram {
  const children: HistogramChild<Label>[] = [];
  const readChild = ({ labels, counts, sum, exemplars }: HistogramChild<Label>): readonly Sample[] => {
    let total = 0;
    const samples: Sample[] = counts.map((count, index) => {
      total += count;
      const le = buckets[index] ?? "+Inf";
      return { name: `${name}_bucket`, labels: { le, ...labels }, value: total, exemplar: exemplars?.[index] };
    });
    samples.push({ name: `${name}_sum`, labels, value: sum });
    samples.push({ name: `${name}_count`, labels, value: total });
    return samples;
  };
  registry.register({ name, help, type: "histogram", otel, read: () => children.flatMap(readChild) });
  return (labels) => {
    const counts = new Array<number>(buckets.length + 1).fill(0);
    const exemplars: Exemplar[] | undefined = registry.keepsExemplars ? [] : undefined;
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

/** A metric with labels whose values are read at each scrape. */
export function addReadMetrics<Label extends string>(
  type: "counter" | "gauge",
  {
    name,
    help,
    registry,
    read,
  }: MetricOptions<Label> & {
    readonly read: () => readonly { readonly labels: Labels<Label>; readonly value: number }[];
  },
): void {
  registry.register({ name, help, type, read });
}

/** A metric whose value is read at each scrape. */
export function addReadMetric(
  type: "counter" | "gauge",
  { name, help, registry, read }: Omit<MetricOptions<never>, "labelNames"> & { readonly read: () => number },
): void {
  registry.register({ name, help, type, read: () => [{ labels: {}, value: read() }] });
}

/** Caches the result for each label. Labels are few, and their children live as long as the process. */
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
