import type { EventSummarizer } from "#kit/compaction/event-summarizer.ts";
import type { AppSettings, EventsCompactionFields } from "#kit/definitions/app/app-config.ts";
import { APP_FIELDS } from "#kit/definitions/app/app-config-fields.ts";
import type { DefinitionFolder } from "#kit/definitions/yaml/definition-folder.ts";
import type { ProblemList } from "#kit/definitions/yaml/definition-problem.ts";
import { parseDefinition } from "#kit/definitions/yaml/parse-definition.ts";
import { Reading } from "#kit/definitions/yaml/reading.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import { buildPlugins } from "./build-plugins.ts";
import type { ComponentRegistry } from "./component-registry.ts";

/** The app's own file, next to that of its root agent; the first existing one is used. */
const APP_FILES = ["app.yaml", "app.yml", "app.json"] as const;

/** The settings of the app's own file; none if it does not exist. Problems are collected in the list. */
export async function readAppSettings(
  folder: DefinitionFolder,
  registry: ComponentRegistry,
  list: ProblemList,
): Promise<AppSettings> {
  for (const file of APP_FILES) {
    if (!(await folder.has(file))) continue;
    const problems = list.forFile(folder.labelOf(file));
    const read = await folder.read(file);
    if (read.ok) return settingsOf(read.text, registry, problems);
    problems.add(`The file ${read.problem}.`);
  }
  return {};
}

async function settingsOf(text: string, registry: ComponentRegistry, problems: ProblemList): Promise<AppSettings> {
  const reading = new Reading(problems);
  const node = await parseDefinition(text, problems);
  const config = node === undefined ? undefined : reading.read(node, APP_FIELDS);
  if (config === undefined) return {};
  const { plugins, eventsCompaction, ...plain } = config;
  return {
    ...plain,
    plugins: plugins && (await buildPlugins(plugins, registry, reading)),
    eventsCompaction: eventsCompaction && compactionOf(eventsCompaction, registry, reading),
  };
}

function compactionOf(
  { summarizer: ref, ...numbers }: EventsCompactionFields,
  { instances }: ComponentRegistry,
  reading: Reading,
): NonNullable<AppSettings["eventsCompaction"]> {
  if (ref?.name === undefined) return numbers;
  const summarizer = instances.get(ref.name);
  if (isSummarizer(summarizer)) return { ...numbers, summarizer };
  const problem =
    summarizer === undefined
      ? `No summarizer "${ref.name}" is registered${suggestion(ref.name, instances.names()) || "."}`
      : `"${ref.name}" is registered, and is not a summarizer.`;
  reading.problems.add(problem, reading.placeOf(ref, "name"));
  return numbers;
}

function isSummarizer(value: unknown): value is EventSummarizer {
  return typeof value === "object" && value !== null && "summarizeEvents" in value;
}
