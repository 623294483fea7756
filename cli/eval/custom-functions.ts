import { join } from "node:path";
import { importModule } from "#kit/definitions/loaders/import-module.ts";
import type { EvalConfig } from "#kit/evaluation/formats/eval-config.ts";
import type { CustomMetricFunction } from "#kit/evaluation/metrics/custom-metric.ts";
import { UsageError } from "../parse-arguments.ts";

/**
 * Imports the functions of a config's custom metrics. A reference is `metrics.ts#polite`, or as in Python
 * `metrics.polite`: the export `polite` of metrics.ts, from the config's folder. Throws `UsageError`.
 */
export async function importFunctions(
  { customMetrics }: EvalConfig,
  folder: string,
): Promise<Readonly<Record<string, CustomMetricFunction>>> {
  const entries = Object.entries(customMetrics).map(async ([metricName, { codeConfig }]) => {
    return [metricName, await importFunction(codeConfig.name, folder)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function importFunction(reference: string, folder: string): Promise<CustomMetricFunction> {
  const { file, name } = placeOf(reference);
  const found = (await importModule(join(folder, file), file)).get(name);
  // The function's own results are checked when it has been called.
  if (typeof found === "function") return found as CustomMetricFunction;
  throw new UsageError(`The custom metric ${reference}: ${file} exports no function "${name}".`);
}

function placeOf(reference: string): { readonly file: string; readonly name: string } {
  const [file = "", name] = reference.split("#");
  if (name !== undefined) return { file, name };
  const words = reference.split(".");
  const last = words.pop() ?? "";
  if (words.length === 0)
    throw new UsageError(`The custom metric ${reference} names no module, as in "metrics.ts#${reference}".`);
  return { file: `${words.join("/")}.ts`, name: last };
}
