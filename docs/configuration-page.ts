import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** What the page shows of a setting: the parts of its JSON schema that matter to a reader. */
interface Setting {
  readonly type?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly anyOf?: readonly { readonly const?: unknown }[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

interface SettingsSchema {
  readonly properties: Readonly<Record<string, Setting>>;
}

export interface SettingsSection {
  readonly title: string;
  readonly schema: SettingsSchema;
}

const HEAD = `# Configuration

Settings are environment variables. An empty value counts as unset, lists are separated by commas, and all problems are
reported at once when a process starts.
`;

const SERVICES = join(import.meta.dirname, "../services");

/** The settings of every process, from the schema that each \`config.ts\` exports. */
export async function loadSettings(): Promise<readonly SettingsSection[]> {
  const sections: SettingsSection[] = [];
  for (const service of readdirSync(SERVICES).sort()) {
    const path = join(SERVICES, service, "config.ts");
    if (!existsSync(path)) continue;
    const exported: Readonly<Record<string, unknown>> = await import(path);
    for (const [name, value] of Object.entries(exported)) {
      if (name.endsWith("ConfigSchema") && isSettingsSchema(value)) sections.push({ title: service, schema: value });
    }
  }
  return sections;
}

/** The reference of all settings. */
export function configurationPage(sections: readonly SettingsSection[]): string {
  return HEAD + sections.map(formatSection).join("");
}

function formatSection({ title, schema }: SettingsSection): string {
  const rows = Object.entries(schema.properties).map(
    ([name, setting]) =>
      `| \`${name}\` | ${typeOf(setting)} | ${defaultOf(setting)} | ${cell(setting.description ?? "")} |`,
  );
  return `\n## ${title}\n\n| variable | type | default | meaning |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
}

function typeOf({ type, anyOf, enum: values, const: constant }: Setting): string {
  const choices = values ?? anyOf?.map((choice) => choice.const) ?? (constant === undefined ? undefined : [constant]);
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(", ");
  return type === "array" ? "list" : (type ?? "");
}

function defaultOf({ default: value }: Setting): string {
  if (value === undefined) return "required";
  const text = Array.isArray(value) ? value.join(",") : String(value);
  return text === "" ? "none" : cell(`\`${text}\``);
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function isSettingsSchema(value: unknown): value is SettingsSchema {
  return typeof value === "object" && value !== null && "properties" in value && typeof value.properties === "object";
}
