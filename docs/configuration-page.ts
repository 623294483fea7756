import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { IsObject, type TObject } from "typebox";
import { choicesOf, type Setting, settingsOf } from "#shared/config-schema.ts";

export interface SettingsSection {
  readonly title: string;
  readonly schema: TObject;
}

const HEAD = `# Configuration

Settings are environment variables. An empty value counts as unset, lists are separated by commas, and all problems are
reported at once when a process starts.
`;

const SERVICES = join(import.meta.dirname, "../services");

/** The settings of every process, from the schemas that each `config.ts` exports. */
export async function loadSettings(): Promise<readonly SettingsSection[]> {
  const sections: SettingsSection[] = [];
  for (const service of readdirSync(SERVICES).sort()) {
    const path = join(SERVICES, service, "config.ts");
    if (!existsSync(path)) continue;
    const exported: Readonly<Record<string, unknown>> = await import(path);
    for (const value of Object.values(exported)) if (IsObject(value)) sections.push({ title: service, schema: value });
  }
  return sections;
}

/** The reference of all settings. One that several processes have stands with the first of them. */
export function configurationPage(sections: readonly SettingsSection[]): string {
  const shown = new Set<string>();
  return HEAD + sections.map((section) => formatSection(section, shown)).join("");
}

function formatSection({ title, schema }: SettingsSection, shown: Set<string>): string {
  const settings = settingsOf(schema).filter(({ name }) => !shown.has(name));
  for (const { name } of settings) shown.add(name);
  if (settings.length === 0) return "";
  return `\n## ${title}\n\n| variable | type | default | meaning |\n| --- | --- | --- | --- |\n${settings.map(formatRow).join("\n")}\n`;
}

function formatRow(setting: Setting): string {
  const { name, schema } = setting;
  const file = schema.secret === true ? ` Or \`${name}_FILE\`, a file that holds it.` : "";
  return `| \`${name}\` | ${typeOf(setting)} | ${defaultOf(setting)} | ${cell((schema.description ?? "") + file)} |`;
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
