import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readmePage } from "./readme-page.ts";
import { valuesSchema } from "./values-schema.ts";

export const CHART: string = join(import.meta.dirname, "fairlead");

/** The generated files: names in the chart's folder and texts. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const read = (name: string): string => readFileSync(join(CHART, name), "utf8");
  return new Map([
    ["README.md", readmePage(read("README.intro.md"), read("values.yaml"))],
    ["values.schema.json", `${JSON.stringify(valuesSchema(), undefined, 1)}\n`],
  ]);
}
