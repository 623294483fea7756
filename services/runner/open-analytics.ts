import { readFileSync } from "node:fs";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { AnalyticsPlugin } from "#kit/plugins/analytics/analytics-plugin.ts";
import { YamlReader } from "#shared/quota/yaml-reader.ts";
import type { RunnerConfig } from "./config.ts";
import type { RunnerDeps } from "./deps.ts";

type Settings = Pick<RunnerConfig, "ANALYTICS_DIR" | "ANALYTICS_FILE">;

/**
 * Where the settings want rows about the runs of all apps: `ANALYTICS_DIR` in files of that folder, and `ANALYTICS_FILE`
 * as the options in it say, in BigQuery if they name a project. Undefined if neither is set. Throws `CONFIGURATION` for a
 * file that cannot be used.
 */
export async function openAnalytics({
  ANALYTICS_DIR,
  ANALYTICS_FILE,
}: Settings): Promise<RunnerDeps["openAnalyticsPlugins"]> {
  const makers: (() => AnalyticsPlugin)[] = [];
  if (ANALYTICS_DIR !== "") makers.push(() => new AnalyticsPlugin({ directory: ANALYTICS_DIR, createViews: true }));
  if (ANALYTICS_FILE !== "") makers.push(await makerOf(ANALYTICS_FILE));
  return makers.length === 0 ? undefined : () => makers.map((make) => make());
}

async function makerOf(file: string): Promise<() => AnalyticsPlugin> {
  const options = await readOptions(file);
  const { BigQueryAgentAnalyticsPlugin } =
    options["projectId"] === undefined
      ? { BigQueryAgentAnalyticsPlugin: AnalyticsPlugin }
      : await import("#adapters/bigquery/bigquery-agent-analytics-plugin.ts");
  // The constructors check their options.
  const make = () => new BigQueryAgentAnalyticsPlugin(options as never);
  try {
    await make().close();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PlatformError("CONFIGURATION", `ANALYTICS_FILE (${file}): ${reason}`, { cause: error });
  }
  return make;
}

async function readOptions(file: string): Promise<JsonObject> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new PlatformError("CONFIGURATION", `ANALYTICS_FILE: ${file} cannot be read.`, { cause: error });
  }
  const reader = new YamlReader(await import("yaml"), text, `ANALYTICS_FILE (${file})`);
  const options = reader.object([], reader.root);
  reader.assertValid();
  return options;
}
