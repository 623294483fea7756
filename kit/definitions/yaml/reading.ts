import { isJsonObject } from "#kit/platform/json.ts";
import { rulesOf, type Shape } from "#kit/schema/shape.ts";
import { type Issue, readValue } from "#kit/schema/shape-reader.ts";
import { camelCase } from "#kit/schema/spelling.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import { type ConfigEntry, type ConfigNode, describeNode, type Position, toJson } from "./config-node.ts";
import { wordsOf } from "./config-shapes.ts";
import type { ProblemList } from "./definition-problem.ts";

/** The reading of one file: its problems, and the positions of its values. */
export class Reading {
  readonly problems: ProblemList;
  readonly #nodes = new WeakMap<object, ConfigNode>();

  constructor(problems: ProblemList) {
    this.problems = problems;
  }

  /**
   * Reads a map of fields, in camelCase or snake_case. A field without a value counts as absent. Problems are added to
   * the list; the returned object lacks the values that have one. Undefined for a value that is not a map.
   */
  read<Config extends object>(node: ConfigNode, shape: Shape<Config>): Config | undefined {
    const result = readValue(shape, toJson(node), { oneSpelling: true });
    this.#note(result.value, node);
    if (result.ok) return result.value;
    for (const issue of result.issues) this.#report(issue, node);
    // From the end, so that the indices of lists stay valid.
    for (const { kind, path, problem } of result.issues.toReversed())
      if (kind !== "two-spellings" && problem?.field === undefined) remove(result.value, path);
    // The rest was read by the shape; what it lacks is among the problems.
    return node.kind === "map" ? (result.value as Config) : undefined;
  }

  /**
   * Reads a member of an object that was read; an absent member counts as an empty map. Undefined if it has a problem.
   */
  readMember<Config extends object>(owner: object, member: string, shape: Shape<Config>): Config | undefined {
    const node = this.#nodes.get(owner);
    if (node === undefined) return undefined;
    const value = entryOf(node, member)?.value;
    const isEmpty = value === undefined || (value.kind === "scalar" && value.value === null);
    // A value that was refused is a problem already.
    if (!isEmpty && !Object.hasOwn(owner, member)) return undefined;
    const before = this.problems.count;
    const config = this.read(isEmpty ? { kind: "map", at: node.at, entries: [] } : value, shape);
    return this.problems.count === before ? config : undefined;
  }

  /** The position of a field of an object that was read, or of the object. */
  placeOf(value: object, field = ""): Position | undefined {
    const node = this.#nodes.get(value);
    return node === undefined ? undefined : (entryOf(node, field)?.at ?? node.at);
  }

  #note(value: unknown, node: ConfigNode): void {
    if (typeof value !== "object" || value === null) return;
    this.#nodes.set(value, node);
    if (Array.isArray(value) && node.kind === "list")
      value.forEach((item, at) => void this.#noteAt(item, node.items[at]));
    else if (isJsonObject(value))
      for (const [name, member] of Object.entries(value)) this.#noteAt(member, entryOf(node, name)?.value);
  }

  #noteAt(value: unknown, node: ConfigNode | undefined): void {
    if (node !== undefined) this.#note(value, node);
  }

  #report({ kind, path, shape, value, problem }: Issue, root: ConfigNode): void {
    const { key, node } = find(root, path);
    const name = path.at(-1);
    if (kind === "missing") this.problems.add(`"${name}" is missing.`, key);
    else if (kind === "two-spellings")
      this.problems.add(`"${name}" is given in two spellings: keep one.`, secondSpelling(root, path) ?? key);
    else if (kind === "unknown-member") {
      const hint = suggestion(String(name), Object.keys(shape.properties ?? {})) || ".";
      const why = rulesOf(shape)?.whyOnlyThese;
      this.problems.add(`Unknown field "${name}"${hint}${why === undefined ? "" : ` ${why}`}`, key);
    } else if (problem !== undefined)
      this.problems.add(problem.message, entryOf(node, problem.field ?? "")?.at ?? node.at);
    else if (value === null && typeof name === "string") this.problems.add(`"${name}" is empty.`, key);
    else this.problems.add(`Expected ${wordsOf(shape)}, found ${describeNode(node)}.`, node.at);
  }
}

/** The node at a path with the position of its key; of a missing field, the map that lacks it. */
function find(root: ConfigNode, path: Issue["path"]): { readonly key: Position; readonly node: ConfigNode } {
  let found = { key: root.at, node: root };
  for (const step of path) {
    const { node } = found;
    const entry = entryOf(node, step);
    const inner = entry?.value ?? (node.kind === "list" ? node.items[Number(step)] : undefined);
    if (inner === undefined) return { key: node.at, node };
    found = { key: entry?.at ?? inner.at, node: inner };
  }
  return found;
}

/** The entry of a field: of two spellings that in camelCase, which is read. */
function entryOf(node: ConfigNode, field: string | number): ConfigEntry | undefined {
  if (node.kind !== "map") return undefined;
  return node.entries.find(({ key }) => key === field) ?? node.entries.find(({ key }) => camelCase(key) === field);
}

function secondSpelling(root: ConfigNode, path: Issue["path"]): Position | undefined {
  const { node } = find(root, path.slice(0, -1));
  return node.kind === "map" ? node.entries.findLast(({ key }) => camelCase(key) === path.at(-1))?.at : undefined;
}

function remove(root: unknown, path: Issue["path"]): void {
  // Only containers are on the way to a value.
  const parent = path.slice(0, -1).reduce((value, step) => (value as Record<string | number, unknown>)[step], root);
  const last = path.at(-1);
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isJsonObject(parent) && last !== undefined) Reflect.deleteProperty(parent, last);
}
