import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { choicesOf } from "#kit/schema/read-json.ts";
import { isObjectShape, type ObjectShape, type Shape, Type } from "#kit/schema/shape.ts";
import { type Setting, settingsOf } from "#shared/config/config-schema.ts";

export interface SettingsSection {
  readonly title: string;
  readonly schema: ObjectShape;
}

const HEAD = `# Configuration

For operators: look up what a setting does, its type and its default.

Settings are environment variables. An empty value counts as unset, lists are separated by commas, and all problems are
reported together when a process starts. A setting of several processes is listed with the first of them; see
[services.md](services.md) for the settings of each process.
`;

/** The server in one process has most of what the services have. */
const FIRST = ["standalone", "gateway", "runner"];

const SERVICES = join(import.meta.dirname, "../../services");

/** The settings of every process, from the schemas that each `config.ts` exports. */
export async function loadSettings(): Promise<readonly SettingsSection[]> {
  const services = readdirSync(SERVICES).filter((service) => existsSync(join(SERVICES, service, "config.ts")));
  const ordered = [...FIRST, ...services.filter((service) => !FIRST.includes(service)).sort()];
  return Promise.all(
    ordered.map(async (service) => {
      const exported: Readonly<Record<string, unknown>> = await import(join(SERVICES, service, "config.ts"));
      const properties: Record<string, Shape> = {};
      for (const value of Object.values(exported))
        if (isObjectShape(value)) Object.assign(properties, value.properties);
      return { title: service, schema: Type.Object(properties) };
    }),
  );
}

/** The reference of all settings. A setting that several processes have is listed with the first of them. */
export function configurationPage(sections: readonly SettingsSection[]): string {
  const shown = new Set<string>();
  return HEAD + sections.map((section) => formatSection(section, shown)).join("");
}

function formatSection({ title, schema }: SettingsSection, shown: Set<string>): string {
  const rows = settingsOf(schema)
    .map(formatRow)
    .filter((row) => !shown.has(row));
  for (const row of rows) shown.add(row);
  if (rows.length === 0) return "";
  return `\n## ${title}\n\n| variable | type | default | meaning |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
}

function formatRow(setting: Setting): string {
  const { name, schema } = setting;
  const file = schema.secret === true ? ` Or \`${name}_FILE\`, a file that holds it.` : "";
  return `| \`${name}\` | ${typeOf(setting)} | ${defaultOf(setting)} | ${cell((schema.description ?? "") + needOf(setting) + file)} |`;
}

function needOf({ schema }: Setting): string {
  const needs = Object.entries(schema.neededBy ?? {}).map(([name, values]) => `\`${name}=${values.join("|")}\``);
  return needs.length === 0 ? "" : ` Needed by ${needs.join(", ")}.`;
}

function typeOf({ schema }: Setting): string {
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(", ");
  return schema.type === "array" ? "list" : (schema.type ?? "");
}

function defaultOf({ schema, required }: Setting): string {
  if (required) return "required";
  const text = Array.isArray(schema.default) ? schema.default.join(",") : String(schema.default ?? "");
  return text === "" ? "none" : cell(`\`${text}\``);
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
