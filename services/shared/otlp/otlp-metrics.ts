import type { Clock } from "#kit/platform/clock.ts";
import { lazy } from "#kit/platform/lazy.ts";
import type { MetricFamily, MetricRegistry, Sample } from "../metrics/metric-registry.ts";
import { connectOtlp, type OtlpConnection, type OtlpItems } from "./otlp-connection.ts";
import type { OtlpExporterOptions } from "./otlp-exporter.ts";
import { SCOPE, toHrTime } from "./otlp-span.ts";

type ExportedMetric = OtlpItems["metrics"]["scopeMetrics"][number]["metrics"][number];

// Constants of OpenTelemetry's SDK, which is not loaded for five numbers.
const DOUBLE = 1;
const CUMULATIVE = 1;
const HISTOGRAM = 0;
const GAUGE = 2;
const SUM = 3;

/** Sends the process's metrics to a collector at each interval and at the end. `/metrics` does not change. */
export class OtlpMetricExporter implements AsyncDisposable {
  readonly #options: OtlpExporterOptions & { readonly registry: MetricRegistry; readonly clock: Clock };
  readonly #startTime: number;
  readonly #timer: NodeJS.Timeout;
  readonly #collector = lazy(() => connectOtlp("metrics", this.#options));
  #opened: OtlpConnection<"metrics"> | undefined;
  #sending: Promise<void> | undefined;
  #failing = false;
  /** Exports that failed. */
  failed = 0;

  constructor(
    options: OtlpExporterOptions & {
      readonly registry: MetricRegistry;
      readonly clock: Clock;
      readonly intervalMs: number;
    },
  ) {
    this.#options = options;
    this.#startTime = options.clock.now();
    this.#timer = setInterval(() => void this.flush(), options.intervalMs).unref();
  }

  /** Sends the values of now. Never rejects. */
  flush(): Promise<void> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#sending;
    await this.flush();
    await this.#opened?.close();
  }

  async #send(): Promise<void> {
    const { registry, clock, resourceAttributes, logger } = this.#options;
    try {
      const { resourceFromAttributes } = await import("@opentelemetry/resources");
      this.#opened = await this.#collector();
      const times = { startTime: toHrTime(this.#startTime), endTime: toHrTime(clock.now()) };
      const metrics = [...registry.families].map((family) => toExportedMetric(family, times));
      const resource = resourceFromAttributes(resourceAttributes);
      await this.#opened.send({ resource, scopeMetrics: [{ scope: SCOPE, metrics }] });
      this.#failing = false;
    } catch (error) {
      this.failed += 1;
      if (!this.#failing) logger.warn({ error }, "metrics cannot be exported");
      this.#failing = true;
    }
  }
}

type Times = Pick<ExportedMetric["dataPoints"][number], "startTime" | "endTime">;

/** A metric under OpenTelemetry's name if it has one, and else under its name in `/metrics`. */
export function toExportedMetric(family: MetricFamily, times: Times): ExportedMetric {
  const { name, help, type, otel } = family;
  const descriptor = { name: otel?.name ?? name, description: help, unit: otel?.unit ?? "", valueType: DOUBLE };
  const base = { descriptor, aggregationTemporality: CUMULATIVE } as const;
  const attributes = (labels: Sample["labels"]) => renamed(labels, otel?.attributes);
  if (type === "histogram")
    return { ...base, dataPointType: HISTOGRAM, dataPoints: toHistograms(family, attributes, times) } as ExportedMetric;
  const dataPoints = family.read().map(({ labels, value }) => ({ ...times, attributes: attributes(labels), value }));
  const isSum = type === "counter";
  return { ...base, dataPoints, dataPointType: isSum ? SUM : GAUGE, isMonotonic: isSum } as ExportedMetric;
}

interface Buckets {
  readonly boundaries: number[];
  readonly counts: number[];
}

/** Puts the samples of `/metrics` together: buckets that count all below them, then the sum, then the count. */
function toHistograms(
  { name, read }: MetricFamily,
  attributes: (labels: Sample["labels"]) => object,
  times: Times,
): readonly object[] {
  const points: object[] = [];
  let buckets: Buckets = { boundaries: [], counts: [] };
  let below = 0;
  let sum = 0;
  for (const { name: sample, labels, value } of read()) {
    if (sample === `${name}_sum`) sum = value;
    else if (sample === `${name}_bucket`) {
      if (typeof labels["le"] === "number") buckets.boundaries.push(labels["le"]);
      buckets.counts.push(value - below);
      below = value;
    } else {
      points.push({ ...times, attributes: attributes(labels), value: { buckets, sum, count: value } });
      buckets = { boundaries: [], counts: [] };
      below = 0;
    }
  }
  return points;
}

/** Attributes by OpenTelemetry's names; empty ones, which labels need, are left out. */
function renamed(
  labels: Sample["labels"],
  names: readonly string[] | undefined,
): Readonly<Record<string, string | number>> {
  const entries = Object.entries(labels).filter(([, value]) => value !== "");
  return Object.fromEntries(
    entries.map(([label, value]) => [names?.find((name) => name.replaceAll(".", "_") === label) ?? label, value]),
  );
}
