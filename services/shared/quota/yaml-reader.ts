import type * as Yaml from "yaml";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";

/** Where a value is in a file: the names of members and the positions of items that lead to it. */
export type YamlPath = readonly (string | number)[];

const MAX_CHARACTERS = 1024 * 1024;
const MAX_PROBLEMS = 20;

/** Reads the values of a YAML file, and collects what is wrong with them, each with its line. */
export class YamlReader {
  readonly #setting: string;
  readonly #document: Yaml.Document.Parsed;
  readonly #lines: Yaml.LineCounter;
  readonly #problems: string[] = [];
  readonly root: unknown;

  /** Throws `CONFIGURATION` for a text that is not YAML. `setting` names the file in messages. */
  constructor(yaml: Pick<typeof Yaml, "LineCounter" | "parseDocument">, text: string, setting: string) {
    this.#setting = setting;
    if (text.length > MAX_CHARACTERS) throw new PlatformError("CONFIGURATION", `${setting}: the file is over 1 MiB.`);
    this.#lines = new yaml.LineCounter();
    this.#document = yaml.parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, logLevel: "error" });
    for (const { message, pos } of this.#document.errors) this.#add(this.#lines.linePos(pos[0]).line, message);
    this.assertValid();
    try {
      this.root = this.#document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      throw new PlatformError("CONFIGURATION", `${setting}: the file has too many aliases.`, { cause: error });
    }
  }

  /** Notes a problem of the value at the path. */
  problem(path: YamlPath, text: string): void {
    this.#add(this.#lineOf(path), `${nameOf(path)} ${text}`);
  }

  /** The object at the path, empty if it is absent; members with other names than these are problems. */
  object(path: YamlPath, value: unknown, members?: readonly string[]): JsonObject {
    if (value === undefined || value === null) return {};
    if (!isJsonObject(value)) {
      this.problem(path, "must be a map of names to values.");
      return {};
    }
    for (const name of Object.keys(value)) {
      if (members !== undefined && !members.includes(name))
        this.problem([...path, name], `is unknown here: there are ${members.join(", ")}.`);
    }
    return value;
  }

  /** One of the words; the first one if the value is absent. */
  word<Word extends string>(path: YamlPath, value: unknown, words: readonly [Word, ...Word[]]): Word {
    if (value === undefined) return words[0];
    const found = words.find((word) => word === value);
    if (found === undefined) this.problem(path, `must be one of ${words.join(", ")}.`);
    return found ?? words[0];
  }

  /** Throws `CONFIGURATION` with all problems. */
  assertValid(): void {
    if (this.#problems.length === 0) return;
    throw new PlatformError("CONFIGURATION", `${this.#setting}: ${this.#problems.slice(0, MAX_PROBLEMS).join(" ")}`);
  }

  #add(line: number, text: string): void {
    this.#problems.push(`Line ${line}: ${text.endsWith(".") ? text : `${text}.`}`);
  }

  /** The line of the deepest node on the path that the file has. */
  #lineOf(path: YamlPath): number {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = this.#offsetOf(path.slice(0, length));
      if (offset !== undefined) return this.#lines.linePos(offset).line;
    }
    return 1;
  }

  #offsetOf(path: YamlPath): number | undefined {
    const node: unknown = this.#document.getIn(path, true);
    if (typeof node !== "object" || node === null || !("range" in node) || !Array.isArray(node.range)) return undefined;
    const [start]: readonly unknown[] = node.range;
    return typeof start === "number" ? start : undefined;
  }
}

function nameOf(path: YamlPath): string {
  let name = "";
  for (const step of path) {
    if (typeof step === "number") name += `[${step}]`;
    else name += name === "" ? step : `.${step}`;
  }
  return name === "" ? "the file" : name;
}
