import { REDACTED, redactText } from "#kit/errors/redact.ts";
import { choicesOf } from "#kit/schema/read-json.ts";
import type { ObjectShape } from "#kit/schema/shape.ts";
import { type Setting, settingsOf } from "./config-schema.ts";

const DEFAULT_WIDTH = 120;

/** The settings as a table for `--help`: name, default and description; a long description wraps below itself. */
export function describeConfig(schema: ObjectShape, width = DEFAULT_WIDTH): string {
  const rows = settingsOf(schema).map((setting) => ({
    name: setting.name,
    initial: initialOf(setting),
    text: [setting.schema.description ?? "", notesOf(setting)].filter((part) => part !== "").join(" "),
  }));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const initialWidth = Math.min(12, Math.max(...rows.map(({ initial }) => initial.length)));
  const indent = nameWidth + initialWidth + 6;
  return rows
    .map(({ name, initial, text }) => {
      const head = `  ${name.padEnd(nameWidth)}  ${initial.padEnd(initialWidth)}  `;
      const lines = wrap(text, Math.max(20, width - indent));
      // A long default pushes its description to the next line.
      const all =
        head.length > indent ? [head.trimEnd(), ...lines.map((line) => " ".repeat(indent) + line)] : undefined;
      return (all ?? [head + (lines[0] ?? ""), ...lines.slice(1).map((line) => " ".repeat(indent) + line)]).join("\n");
    })
    .join("\n");
}

function initialOf({ schema, required }: Setting): string {
  if (required) return "(required)";
  const initial = Array.isArray(schema.default) ? schema.default.join(",") : String(schema.default ?? "");
  return initial === "" ? "-" : initial;
}

function notesOf({ name, schema }: Setting): string {
  const choices = choicesOf(schema);
  if (choices !== undefined) return `One of ${choices.join(", ")}.`;
  const needs = Object.entries(schema.neededBy ?? {}).map(([other, values]) => `${other}=${values.join("|")}`);
  const notes = [
    ...(needs.length > 0 ? [`Needed by ${needs.join(", ")}.`] : []),
    ...(schema.secret === true ? [`Or ${name}_FILE.`] : []),
  ];
  return notes.join(" ");
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length + 1 > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return line === "" ? lines : [...lines, line];
}

/** The settings that differ from their defaults, for a log; a secret is only reported as set. */
export function settingsForLog(
  schema: ObjectShape,
  config: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const shown: Record<string, unknown> = {};
  for (const { name, schema: setting } of settingsOf(schema)) {
    const value = config[name];
    if (value === undefined || String(value) === String(setting.default ?? "")) continue;
    if (setting.secret === true) shown[name] = REDACTED;
    else shown[name] = typeof value === "string" ? redactText(value) : value;
  }
  return shown;
}
