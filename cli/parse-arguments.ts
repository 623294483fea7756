import { suggestion } from "#kit/schema/suggest.ts";
import type { Setting } from "#shared/config/config-schema.ts";
import { COMMANDS, type CommandFlag, GENERAL_FLAGS } from "./command-list.ts";

/** A parsed command line. */
export interface Arguments {
  readonly words: readonly string[];
  readonly wantsHelp: boolean;
  readonly wantsVersion: boolean;
  /** Flags of the command by their names; the value of a flag without one is empty. */
  readonly flags: ReadonlyMap<string, string>;
  /** Values of settings by their names in the environment. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Reports an argument that is not understood; the message names it and the fix. */
export class UsageError extends Error {}

/** Short names of settings that people type often. */
const ALIASES: Readonly<Record<string, string>> = { "--agents": "AGENTS_DIR" };

/**
 * `--port 9000` and `--port=9000` set PORT; `--dev-ui` and `--no-dev-ui` set a boolean setting. Everything after `--`
 * is a plain argument. Throws `UsageError`.
 */
export function parseArguments(typed: readonly string[], settings: readonly Setting[]): Arguments {
  const settingFlags = flagsOf(settings);
  const flags = new Map<string, string>();
  const words: string[] = [];
  const values: Record<string, string> = {};
  let wantsHelp = false;
  let wantsVersion = false;
  for (let index = 0; index < typed.length; index += 1) {
    const word = typed[index] ?? "";
    if (word === "--") {
      words.push(...typed.slice(index + 1));
      break;
    }
    if (word === "--help" || word === "-h") wantsHelp = true;
    else if (word === "--version" || word === "-v") wantsVersion = true;
    else if (word.startsWith("-") && word !== "-") {
      const own = ownFlag(word);
      if (own !== undefined) {
        const { value, taken } = readOwnFlag(word, typed[index + 1], own);
        if (flags.has(own.name)) throw new UsageError(`${own.name} is given twice.`);
        flags.set(own.name, value);
        if (taken) index += 1;
        continue;
      }
      const { name, value, taken } = readFlag(word, typed[index + 1], settingFlags);
      if (values[name] !== undefined) throw new UsageError(`${name} is given twice.`);
      values[name] = value;
      if (taken) index += 1;
    } else words.push(word);
  }
  return { words, wantsHelp, wantsVersion, flags, settings: values };
}

/** The setting of a flag, and the value that the flag alone sets. */
type Flags = ReadonlyMap<string, { readonly name: string; readonly implied?: string }>;

/** The flags of the settings. */
export function flagsOf(settings: readonly Setting[]): Flags {
  const flags = new Map<string, { readonly name: string; readonly implied?: string }>();
  for (const { name, schema } of settings) {
    const flag = toFlag(name);
    if (schema.type !== "boolean") {
      flags.set(flag, { name });
      continue;
    }
    flags.set(flag, { name, implied: "true" });
    flags.set(`--no-${flag.slice(2)}`, { name, implied: "false" });
  }
  for (const [alias, name] of Object.entries(ALIASES)) {
    if (settings.some((setting) => setting.name === name)) flags.set(alias, { name });
  }
  return flags;
}

/** `DATA_DIR` as `--data-dir`. */
export function toFlag(name: string): string {
  return `--${name.toLowerCase().replaceAll("_", "-")}`;
}

/** The flags of the commands that are parsed here; `runs` has its own parser. */
const OWN_FLAGS = COMMANDS.filter(({ name }) => name !== "runs").flatMap(({ flags }) => flags);

function ownFlag(word: string): CommandFlag | undefined {
  return OWN_FLAGS.find(({ name }) => word === name || word.startsWith(`${name}=`));
}

function readOwnFlag(word: string, next: string | undefined, { name, value: expected }: CommandFlag) {
  const given = word === name ? undefined : word.slice(name.length + 1);
  if (expected === undefined) {
    if (given !== undefined) throw new UsageError(`${name} takes no value.`);
    return { value: "", taken: false };
  }
  const value = given ?? next;
  if (value === undefined || value === "" || value.startsWith("--"))
    throw new UsageError(`${name} needs a value, as in ${name}=….`);
  return { value, taken: given === undefined };
}

function readFlag(word: string, next: string | undefined, flags: Flags) {
  const at = word.indexOf("=");
  const flag = at === -1 ? word : word.slice(0, at);
  const known = flags.get(flag);
  if (known === undefined) {
    const hint =
      suggestion(flag, [...flags.keys(), ...[...OWN_FLAGS, ...GENERAL_FLAGS].map(({ name }) => name)]) ||
      ": see fairlead --help.";
    throw new UsageError(`There is no flag ${flag}${hint}`);
  }
  const { name, implied } = known;
  if (at !== -1) return { name, value: word.slice(at + 1), taken: false };
  if (implied !== undefined) return { name, value: implied, taken: false };
  if (next === undefined || next.startsWith("--")) throw new UsageError(`${flag} needs a value, as in ${flag}=….`);
  return { name, value: next, taken: true };
}
