import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openAnalytics } from "#services/runner/open-analytics.ts";
import { startBigQueryRest } from "#test/fakes/bigquery-rest.ts";
import { startBigQueryWrite } from "#test/fakes/bigquery-write.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createRunnerWorld } from "#test/helpers/worlds/runner-world.ts";

/** Opens analytics with a file of this text. */
function open(text: string, file = join(mkdtempSync(join(tmpdir(), "analytics-")), "analytics.yaml")) {
  writeFileSync(file, text);
  return openAnalytics({ ANALYTICS_DIR: "", ANALYTICS_FILE: file });
}

it("records the runs of all apps in BigQuery with the options of a file", async () => {
  verifies("platform:analytics:settings");
  const rest = await startBigQueryRest();
  onTestFinished(() => rest[Symbol.asyncDispose]());
  const write = await startBigQueryWrite();
  onTestFinished(() => write[Symbol.asyncDispose]());
  const openAnalyticsPlugins = await open(`
projectId: shop-1
datasetId: agents
batchFlushInterval: 1
customTags: {environment: test}
eventAllowlist: [USER_MESSAGE_RECEIVED, INVOCATION_COMPLETED]
endpoints: {bigQuery: "${rest.url}", write: "${write.url}"}`);
  const { service, start } = await createRunnerWorld(["yes"], { openAnalyticsPlugins });
  await start("hello");
  await service.whenIdle();
  await expect
    .poll(() => write.rows.map((row) => row["event_type"]))
    .toEqual(["USER_MESSAGE_RECEIVED", "INVOCATION_COMPLETED"]);
  expect(JSON.parse(String(write.rows[0]?.["attributes"]))).toMatchObject({ custom_tags: { environment: "test" } });
  expect([rest.problems, write.problems]).toEqual([[], []]);
  await service[Symbol.asyncDispose]();
});

it("records them in files too, and nothing without a setting", async () => {
  verifies("platform:analytics:settings");
  expect(await openAnalytics({ ANALYTICS_DIR: "", ANALYTICS_FILE: "" })).toBeUndefined();
  const folder = mkdtempSync(join(tmpdir(), "analytics-"));
  const openAnalyticsPlugins = await open(JSON.stringify({ directory: folder, tableName: "rows" }));
  const { service, start } = await createRunnerWorld(["yes"], { openAnalyticsPlugins });
  await start("hello");
  await service.whenIdle();
  await expect.poll(() => readdirSync(folder).filter((name) => name.startsWith("rows-")).length).toBe(1);
  await service[Symbol.asyncDispose]();
});

it.each([
  ["an option that does not exist", "directory: rows\ndatasetID: agents", "datasetID"],
  ["an option with a wrong value", "directory: rows\nbatchSize: many", "batchSize"],
  ["a project without a dataset", "projectId: shop-1", "datasetId"],
  ["code", "directory: rows\ncontentFormatter: x => x", "contentFormatter"],
  ["another place", "sink: {append: x}", "sink"],
  ["no place", "batchSize: 10", "directory"],
  ["a list", "[1]", "must be a map"],
  ["no YAML", "a: [", "Line 1"],
])("stops the start for a file with %s, and names that", async (_what, text, named) => {
  verifies("platform:analytics:settings");
  const file = join(mkdtempSync(join(tmpdir(), "analytics-")), "analytics.yaml");
  const error = await open(text, file)?.then(undefined, (thrown: unknown) => thrown);
  expect(error).toMatchObject({ reason: "CONFIGURATION" });
  expect(String((error as Error).message)).toMatch(/^ANALYTICS_FILE/);
  expect(String((error as Error).message)).toContain(named);
});

it("stops the start without the file", async () => {
  await expect(openAnalytics({ ANALYTICS_DIR: "", ANALYTICS_FILE: "/nowhere.yaml" })).rejects.toThrow(
    "ANALYTICS_FILE: /nowhere.yaml cannot be read.",
  );
});
