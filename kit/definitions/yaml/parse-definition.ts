import type { Document, LineCounter, Node } from "yaml";
import type { ConfigEntry, ConfigNode, Position } from "./config-node.ts";
import type { ProblemList } from "./definition-problem.ts";
import { textAsKeyFix, unindentedTextFix } from "./unindented-text.ts";

type Yaml = typeof import("yaml");

// Far above what a person writes, and far below what is harmful: a file of agents is read as a whole and kept in
// memory.
const MAX_DEPTH = 50;
const MAX_NODES = 20_000;
const MAX_PROBLEMS = 20;

/**
 * Reads YAML, or JSON, as plain data. Tags, merge keys, duplicate keys, aliases that grow without bound and too deep
 * nesting are problems, like syntax errors, each with its position. Undefined if there is no usable value.
 */
export async function parseDefinition(text: string, problems: ProblemList): Promise<ConfigNode | undefined> {
  const tooLarge = yamlTooLarge(text);
  if (tooLarge !== undefined) {
    problems.add(tooLarge, { line: 1, column: 1 });
    return undefined;
  }
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    schema: "core",
    version: "1.2",
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    // Otherwise warnings are emitted by the process; tags are refused below.
    logLevel: "error",
  });
  if (reportSyntax(text, document, lines, problems)) return undefined;
  if (document.contents === null) {
    problems.add("The file is empty.", { line: 1, column: 1 });
    return undefined;
  }
  return new Conversion(yaml, lines, problems).convert(document.contents, 0);
}

/** Whether there were errors. Deep nesting causes a parser error for each level, which are reported as one problem. */
function reportSyntax(source: string, document: Document, lines: LineCounter, problems: ProblemList): boolean {
  const tooDeep = document.errors.find(({ code }) => code === "RESOURCE_EXHAUSTION");
  if (tooDeep !== undefined) {
    problems.add(TOO_DEEP, { line: lines.linePos(tooDeep.pos[0]).line, column: 1 });
    return true;
  }
  const seen = new Set<string>();
  for (const { code, message, pos } of document.errors.slice(0, MAX_PROBLEMS)) {
    const at = positionAt(lines, pos[0]);
    const text =
      code === "MULTIPLE_DOCS"
        ? "A second document begins here: one file holds one definition."
        : (unindentedTextFix(source, at.line) ?? `${message}.`);
    if (!seen.has(`${at.line} ${text}`)) problems.add(text, at);
    seen.add(`${at.line} ${text}`);
  }
  return document.errors.length > 0;
}

/**
 * Why the text is not parsed; undefined if it may be. The parser takes a second for some 100,000 characters that each
 * begin a value, so that they are counted before.
 */
export function yamlTooLarge(text: string): string | undefined {
  if (text.length > MAX_CHARACTERS) return `The file is over ${MAX_CHARACTERS / 1024} KiB.`;
  let marks = 0;
  for (const _ of text.matchAll(/[[\]{},&*!|>?"'#%@`]|[:-](?=\s|$)/g)) marks += 1;
  return marks > MAX_NODES ? `The file has more than ${MAX_NODES} values.` : undefined;
}

const MAX_CHARACTERS = 256 * 1024;

const TOO_DEEP = `Nested too deeply: at most ${MAX_DEPTH} levels.`;

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** Converts the parser's tree to ours. */
class Conversion {
  readonly #yaml: Yaml;
  readonly #lines: LineCounter;
  readonly #problems: ProblemList;
  readonly #anchors = new Map<string, Node>();
  #nodes = 0;

  constructor(yaml: Yaml, lines: LineCounter, problems: ProblemList) {
    this.#yaml = yaml;
    this.#lines = lines;
    this.#problems = problems;
  }

  convert(node: Node, depth: number): ConfigNode | undefined {
    const at = this.#at(node);
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) return this.#refuseOnce(MAX_NODES + 1, TOO_LARGE, at);
    if (depth > MAX_DEPTH) return this.#refuse(TOO_DEEP, at);
    if (this.#yaml.isAlias(node)) return this.#convertAlias(node.source, at, depth);
    if (node.tag !== undefined)
      return this.#refuse("Tags are refused: a definition is data only. Quote the value instead.", at);
    if ("anchor" in node && typeof node.anchor === "string") this.#anchors.set(node.anchor, node);
    if (this.#yaml.isMap<Node, Node | null>(node)) return { kind: "map", at, entries: this.#entriesOf(node, depth) };
    if (this.#yaml.isSeq<Node>(node)) {
      const items = node.items.map((item) => this.convert(item, depth + 1));
      return { kind: "list", at, items: items.filter((item) => item !== undefined) };
    }
    return this.#convertScalar(this.#yaml.isScalar(node) ? node.value : undefined, at);
  }

  /** Converts the alias's value again: its content counts at each use. */
  #convertAlias(anchor: string, at: Position, depth: number): ConfigNode | undefined {
    const target = this.#anchors.get(anchor);
    if (target === undefined) return this.#refuse(`No anchor "&${anchor}" stands above this alias.`, at);
    return this.convert(target, depth + 1);
  }

  #entriesOf(
    { items }: { readonly items: readonly { readonly key: Node; readonly value: Node | null }[] },
    depth: number,
  ): readonly ConfigEntry[] {
    const entries = new Map<string, ConfigEntry>();
    let before: ConfigEntry | undefined;
    let emptyBlock: "|" | ">" | undefined;
    for (const item of items) {
      const entry = this.#convertEntry(item.key, item.value, depth);
      if (entry === undefined) continue;
      const fix = before && emptyBlock && textAsKeyFix(before.key, emptyBlock, entry.key);
      before = entry;
      emptyBlock = this.#emptyBlockOf(item.value);
      if (fix !== undefined) {
        this.#refuse(fix, entry.at);
        continue;
      }
      const first = entries.get(entry.key);
      if (first === undefined) entries.set(entry.key, entry);
      else this.#refuse(`The key "${entry.key}" is given twice, first in line ${first.at.line}.`, entry.at);
    }
    return [...entries.values()];
  }

  #convertEntry(keyNode: Node, valueNode: Node | null, depth: number): ConfigEntry | undefined {
    const at = this.#at(keyNode);
    if (!this.#yaml.isScalar(keyNode) || keyNode.tag !== undefined)
      return this.#refuse("A key must be plain text, without tag or alias.", at);
    const key = String(keyNode.value);
    if (key === "<<") return this.#refuse("Merge keys (<<) are refused: write the fields out.", at);
    if (key === "__proto__") return this.#refuse('The key "__proto__" is refused.', at);
    const value: ConfigNode | undefined =
      valueNode === null ? { kind: "scalar", at, value: null } : this.convert(valueNode, depth + 1);
    return value === undefined ? undefined : { key, at, value };
  }

  #convertScalar(value: unknown, at: Position): ConfigNode | undefined {
    if (value === null || typeof value === "string" || typeof value === "boolean") return { kind: "scalar", at, value };
    if (typeof value === "number" && Number.isFinite(value)) return { kind: "scalar", at, value };
    return this.#refuse("Only text, finite numbers, true, false and null may stand here.", at);
  }

  /** The sign of a block of text that has none. */
  #emptyBlockOf(node: Node | null): "|" | ">" | undefined {
    if (!this.#yaml.isScalar(node) || node.value !== "") return undefined;
    if (node.type === this.#yaml.Scalar.BLOCK_LITERAL) return "|";
    return node.type === this.#yaml.Scalar.BLOCK_FOLDED ? ">" : undefined;
  }

  #at(node: Node): Position {
    return positionAt(this.#lines, node.range?.[0] ?? 0);
  }

  #refuse(message: string, at: Position): undefined {
    if (this.#problems.count < MAX_PROBLEMS) this.#problems.add(message, at);
    return undefined;
  }

  #refuseOnce(first: number, message: string, at: Position): undefined {
    if (this.#nodes === first) this.#problems.add(message, at);
    return undefined;
  }
}

const TOO_LARGE = `Over ${MAX_NODES} values, those that aliases repeat counted each time.`;
