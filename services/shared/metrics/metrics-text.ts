import type { MetricFamily, MetricRegistry, Sample } from "./metric-registry.ts";

const TOTAL = "_total";

/** The registry's metrics in the Prometheus text format 0.0.4. */
export function prometheusText(registry: MetricRegistry): string {
  let text = "";
  for (const family of registry.families) {
    const { name, help, type } = family;
    text += `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n`;
    for (const sample of family.read()) text += `${sampleText(family, sample, escapeLabel)}\n`;
    text += "\n";
  }
  return text;
}

/** The registry's metrics in the OpenMetrics 1.0 format, which can carry exemplars. */
export function openMetricsText(registry: MetricRegistry): string {
  let text = "";
  for (const family of registry.families) text += openMetricsFamily(family);
  return `${text}# EOF\n`;
}

function openMetricsFamily(family: MetricFamily): string {
  const { name, help, type } = family;
  // The name of a counter's family lacks the suffix that its samples must have.
  const isTotal = type === "counter" && name.endsWith(TOTAL);
  const familyName = isTotal ? name.slice(0, -TOTAL.length) : name;
  const familyType = type === "counter" && !isTotal ? "unknown" : type;
  let text = `# HELP ${familyName} ${escapeText(help)}\n# TYPE ${familyName} ${familyType}\n`;
  for (const sample of family.read()) {
    text += sampleText(family, sample, openMetricsLabel);
    const { exemplar } = sample;
    if (exemplar !== undefined) text += ` # {trace_id="${exemplar.traceId}"} ${numberText(exemplar.value)}`;
    text += "\n";
  }
  return text;
}

type LabelText = (value: string | number, name: string) => string;

function sampleText(family: MetricFamily, { name = family.name, labels, value }: Sample, labelText: LabelText): string {
  const parts = Object.entries(labels).map(([label, text]) => `${label}="${labelText(text, label)}"`);
  return `${name}${parts.length === 0 ? "" : `{${parts.join(",")}}`} ${numberText(value)}`;
}

/** OpenMetrics writes bounds as floats: `1.0`. */
function openMetricsLabel(value: string | number, name: string): string {
  if (name === "le" && typeof value === "number" && Number.isInteger(value)) return `${value}.0`;
  return escapeLabel(value);
}

function escapeLabel(value: string | number): string {
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
