import { posix } from "node:path";
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from "yaml";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { Shape } from "#kit/schema/shape.ts";
import { snakeCase } from "#kit/schema/spelling.ts";
import { adkName, DEFAULT_AGENT_CLASS, fieldName, fieldsOf, simpleTool } from "./agent-fields.ts";
import { type CanonicalDefinition, entriesOf, fileOf, isSame } from "./canonical-definition.ts";
import { ALLOWED_MODEL_SETTINGS } from "./check-saved-fields.ts";
import { UI_MODEL } from "./new-agent-model.ts";
import { OUTPUT } from "./serve-definition.ts";

type Yaml = typeof import("yaml");

export interface StoredDefinition {
  /** The path from the app's folder. */
  readonly file: string;
  readonly text: string;
  readonly fields: CanonicalDefinition;
  readonly isRoot: boolean;
}

/** The fields that the UI's editor writes whenever an agent has them: a field that it omits was removed by its user. */
const REMOVABLE = new Set(["description", "model", "instruction", "subAgents", "tools", "maxIterations"]);

/**
 * Applies the upload's changes to the stored text. Everything outside the editor's model stays: other fields, comments,
 * arguments of tools, references to code. The editor shows no callbacks, so they are added to and never removed. A text
 * without changes is returned unchanged.
 */
export async function mergeDefinition(stored: StoredDefinition, given: CanonicalDefinition): Promise<string> {
  const yaml = await import("yaml");
  const document = yaml.parseDocument(stored.text, { schema: "core", version: "1.2", logLevel: "error" });
  const { contents } = document;
  if (document.errors.length > 0 || !yaml.isMap(contents)) throw new TypeError("A stored definition was not parsed.");
  const merge = new Merge(yaml, document, contents, stored);
  merge.take(given);
  return merge.hasChanged ? document.toString(OUTPUT) : stored.text;
}

class Merge {
  readonly #yaml: Yaml;
  readonly #document: Document;
  readonly #root: YAMLMap;
  readonly #stored: StoredDefinition;
  hasChanged = false;

  constructor(yaml: Yaml, document: Document, root: YAMLMap, stored: StoredDefinition) {
    this.#yaml = yaml;
    this.#document = document;
    this.#root = root;
    this.#stored = stored;
  }

  take(given: CanonicalDefinition): void {
    const { fields } = this.#stored;
    const agentClass = given.get("agentClass") ?? fields.get("agentClass") ?? DEFAULT_AGENT_CLASS;
    const known = typeof agentClass === "string" ? fieldsOf(agentClass) : undefined;
    for (const name of fields.keys()) if (!given.has(name) && this.#isRemoved(name, known)) this.#remove(name);
    for (const [name, value] of given)
      if (!isSame(fields.get(name), value) && !this.#isAssumed(name, value)) this.#takeField(name, value);
  }

  #isRemoved(name: string, known: Shape | undefined): boolean {
    // The editor shows almost no fields of an agent class that the program registers, so a field that is absent from
    // the upload was not removed by the user.
    if (known === undefined) return false;
    if (!Object.hasOwn(known.properties ?? {}, name)) return true;
    return REMOVABLE.has(name) && !(name === "maxIterations" && this.#stored.fields.get(name) === 0);
  }

  /**
   * Whether the editor writes the value by default for a field that the file omits. Such a value means the same, or
   * would be a change that the user did not make.
   */
  #isAssumed(name: string, value: JsonValue): boolean {
    const { fields, isRoot } = this.#stored;
    if (fields.has(name)) return false;
    if (name === "agentClass") return value === DEFAULT_AGENT_CLASS;
    if (name === "model") return fields.has("modelCode") || (!isRoot && value === UI_MODEL);
    return value === "" || (Array.isArray(value) && value.length === 0);
  }

  #takeField(name: string, value: JsonValue): void {
    if (name === "subAgents") return this.#setEntries(name, this.#mergeRefs(value));
    if (name === "tools") return this.#setEntries(name, this.#mergeTools(value));
    if (name.endsWith("Callbacks") && Array.isArray(value))
      return this.#setEntries(name, this.#mergeCallbacks(name, value));
    if (name !== "generateContentConfig" || !isJsonObject(value)) return this.#set(name, value);
    const settings = this.#stored.fields.get(name);
    const kept = isJsonObject(settings)
      ? Object.entries(settings).filter(([key]) => !ALLOWED_MODEL_SETTINGS.has(key) && !(key in value))
      : [];
    return this.#set(name, withSnakeCase({ ...Object.fromEntries(kept), ...value }));
  }

  #mergeRefs(value: JsonValue): readonly Node[] {
    const known = this.#nodesOf("subAgents");
    const stored = entriesOf(this.#stored.fields, "subAgents");
    const items = toList(value).map((ref) => {
      const at = stored.findIndex((other) => fileOf(other) === fileOf(ref));
      return known[at] ?? this.#node({ config_path: this.#relative(fileOf(ref) ?? "") });
    });
    stored.forEach((ref, at) => {
      const node = known[at];
      if (fileOf(ref) === undefined && node !== undefined) items.splice(Math.min(at, items.length), 0, node);
    });
    return items;
  }

  #mergeTools(value: JsonValue): readonly Node[] {
    const known = this.#nodesOf("tools");
    const stored = entriesOf(this.#stored.fields, "tools");
    const used = new Set<number>();
    const items = toList(value).map((tool) => {
      const at = stored.findIndex((other, index) => !used.has(index) && isSameTool(other, tool));
      used.add(at);
      const node = known[at];
      return node === undefined ? this.#newTool(tool) : this.#mergedTool(node, stored[at] ?? null, tool);
    });
    stored.forEach((tool, at) => {
      const node = known[at];
      if (isToolOfCode(tool) && !used.has(at) && node !== undefined) items.splice(Math.min(at, items.length), 0, node);
    });
    return items;
  }

  #mergedTool(node: Node, stored: JsonValue, given: JsonValue): Node {
    if (isSame(stored, given) || !this.#yaml.isMap(node) || !isJsonObject(given)) return node;
    if (fileOf(given) === undefined) {
      this.hasChanged = true;
      if (given["args"] === undefined) node.delete("args");
      else node.set("args", this.#node(given["args"]));
      return node;
    }
    // Besides the agent, the editor supports only one argument of an agent tool.
    const args: unknown = node.get("args");
    const skip = isTrue(given, "skipSummarization");
    if (!this.#yaml.isMap(args) || skip === isTrue(stored, "skipSummarization")) return node;
    this.hasChanged = true;
    args.delete("skipSummarization");
    args.set("skip_summarization", skip);
    return node;
  }

  #newTool(tool: JsonValue): Node {
    const file = fileOf(tool);
    if (file === undefined || !isJsonObject(tool)) return this.#node(tool);
    const args = {
      agent: { config_path: this.#relative(file) },
      skip_summarization: isTrue(tool, "skipSummarization") ? true : undefined,
    };
    return this.#node({ name: tool["name"] ?? "AgentTool", args });
  }

  #mergeCallbacks(name: string, value: readonly JsonValue[]): readonly Node[] {
    const stored = toList(this.#stored.fields.get(name) ?? null);
    const added = value.filter((callback) => !stored.some((other) => isSame(other, callback)));
    return [...this.#nodesOf(name), ...added.map((callback) => this.#node(callback))];
  }

  #relative(file: string): string {
    return posix.relative(posix.dirname(this.#stored.file), file);
  }

  /** The nodes of a list in the stored document. */
  #nodesOf(name: string): readonly Node[] {
    const list = this.#listOf(name);
    // A list of a parsed document contains nodes.
    return list === undefined ? [] : (list.items as readonly Node[]);
  }

  #listOf(name: string): YAMLSeq | undefined {
    const value = this.#pairOf(name)?.value;
    return this.#yaml.isSeq(value) ? value : undefined;
  }

  #setEntries(name: string, items: readonly Node[]): void {
    const list = this.#listOf(name);
    if (list === undefined) return this.#set(name, items);
    const isChanged = items.length !== list.items.length || items.some((item, at) => item !== list.items[at]);
    list.items = [...items];
    this.hasChanged ||= isChanged;
  }

  #set(name: string, value: unknown): void {
    this.hasChanged = true;
    const pair = this.#pairOf(name);
    if (pair === undefined) this.#root.items.push(this.#document.createPair(adkName(name), value));
    else if (this.#yaml.isScalar(pair.value) && !(typeof value === "object")) pair.value.value = value;
    else pair.value = this.#node(value);
  }

  #remove(name: string): void {
    this.hasChanged = true;
    this.#root.items = this.#root.items.filter((pair) => pair !== this.#pairOf(name));
  }

  #pairOf(name: string): Pair | undefined {
    return this.#root.items.find(({ key }) => this.#yaml.isScalar(key) && fieldName(String(key.value)) === name);
  }

  #node(value: unknown): Node {
    return this.#document.createNode(value);
  }
}

function toList(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isSameTool(stored: JsonValue, given: JsonValue): boolean {
  if (!isJsonObject(stored) || !isJsonObject(given)) return false;
  return stored["name"] === given["name"] && fileOf(stored) === fileOf(given) && !isToolOfCode(stored);
}

/** An agent tool whose agent is not a file: the editor cannot show it. */
function isToolOfCode(tool: JsonValue): boolean {
  if (!isJsonObject(tool) || typeof tool["name"] !== "string" || simpleTool(tool["name"]) !== "AgentTool") return false;
  return fileOf(tool) === undefined && tool["args"] !== undefined;
}

function isTrue(tool: JsonValue, argument: string): boolean {
  const args = isJsonObject(tool) ? tool["args"] : undefined;
  return isJsonObject(args) && args[argument] === true;
}

function withSnakeCase(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withSnakeCase);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => [
    snakeCase(key),
    key === "responseSchema" ? member : withSnakeCase(member),
  ]);
  return Object.fromEntries(entries) satisfies JsonObject;
}
