import type { Metric } from "prom-client";

/** A metric as its `get` gives it; the library's types leave exemplars out. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly Value[];
}

interface Value {
  readonly metricName?: string;
  readonly labels?: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Null in the library's own histograms. */
  readonly exemplar?: { readonly traceId: string; readonly value: number } | null;
}

const TOTAL = "_total";

/**
 * Metrics in the form of OpenMetrics 1.0, which can tell of traces. The library has a writer of its own, which renames counters for good
 * and knows only its own classes' exemplars.
 */
export async function openMetricsText(metrics: readonly Metric[]): Promise<string> {
  const families = await Promise.all(metrics.map((metric) => metric.get()));
  let text = "";
  // What the library gives is what it writes itself.
  for (const family of families as unknown as readonly Family[]) text += familyText(family);
  return `${text}# EOF\n`;
}

function familyText({ name, help, type, values }: Family): string {
  // A counter's family has the name without the suffix that its samples must have.
  const isCounter = type === "counter" && name.endsWith(TOTAL);
  const family = isCounter ? name.slice(0, -TOTAL.length) : name;
  const known = type === "counter" && !isCounter ? "unknown" : type;
  let text = `# HELP ${family} ${escapeText(help)}\n# TYPE ${family} ${known}\n`;
  for (const { metricName = name, labels = {}, value, exemplar } of values) {
    text += `${metricName}${labelsText(labels)} ${numberText(value)}`;
    if (exemplar != null) text += ` # {trace_id="${exemplar.traceId}"} ${numberText(exemplar.value)}`;
    text += "\n";
  }
  return text;
}

function labelsText(labels: Readonly<Record<string, string | number>>): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${labelText(name, value)}"`);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

/** Bounds are written as floats: `1.0`. */
function labelText(name: string, value: string | number): string {
  if (name === "le" && typeof value === "number" && Number.isInteger(value)) return `${value}.0`;
  return escapeText(String(value)).replaceAll('"', '\\"');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

function escapeText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
