import type { Document, Pair, YAMLMap, YAMLSeq } from "yaml";
import { yamlTooLarge } from "#kit/definitions/yaml/parse-definition.ts";
import { snakeCase } from "#kit/schema/spelling.ts";
import { adkName, DEFAULT_AGENT_CLASS, simpleClass, simpleTool } from "./agent-fields.ts";
import type { ResolvePath } from "./canonical-definition.ts";

type Yaml = typeof import("yaml");

/**
 * A definition in the form that the editor of the developer UI reads: ADK's spelling, explicit classes, paths from the
 * app's folder. References to agents in code are left out, because that editor would turn them into files; saving adds
 * them again. Comments and everything else stay. A text that cannot be parsed is returned unchanged.
 */
export async function serveDefinition(text: string, resolve: ResolvePath): Promise<string> {
  if (yamlTooLarge(text) !== undefined) return text;
  const yaml = await import("yaml");
  const document = yaml.parseDocument(text, {
    schema: "core",
    version: "1.2",
    resolveKnownTags: false,
    logLevel: "error",
  });
  const { contents } = document;
  if (document.errors.length > 0 || !yaml.isMap(contents)) return text;
  return new Serving(yaml, document, resolve).serve(contents);
}

class Serving {
  readonly #yaml: Yaml;
  readonly #document: Document;
  readonly #resolve: ResolvePath;

  constructor(yaml: Yaml, document: Document, resolve: ResolvePath) {
    this.#yaml = yaml;
    this.#document = document;
    this.#resolve = resolve;
  }

  serve(root: YAMLMap): string {
    this.#rename(root, adkName);
    this.#writeClass(root);
    const subAgents: unknown = root.get("sub_agents");
    if (this.#yaml.isSeq(subAgents)) this.#serveRefs(subAgents);
    const tools: unknown = root.get("tools");
    if (this.#yaml.isSeq(tools)) this.#serveTools(tools);
    return this.#document.toString(OUTPUT);
  }

  #writeClass(root: YAMLMap): void {
    const given = root.get("agent_class");
    if (given !== undefined && given !== null) {
      if (typeof given === "string") root.set("agent_class", simpleClass(given));
      return;
    }
    root.delete("agent_class");
    const at = root.items.findIndex(({ key }) => this.#yaml.isScalar(key) && key.value === "name");
    root.items.splice(at + 1, 0, this.#document.createPair("agent_class", DEFAULT_AGENT_CLASS));
  }

  #serveRefs(refs: YAMLSeq): void {
    refs.items = refs.items.filter((ref) => !(this.#yaml.isMap(ref) && ref.has("code")));
    for (const ref of refs.items) if (this.#yaml.isMap(ref)) this.#servePath(ref);
  }

  #serveTools(tools: YAMLSeq): void {
    tools.items = tools.items.filter((tool) => {
      const args = this.#agentToolArgs(tool);
      if (args === undefined) return true;
      this.#rename(args, snakeCase);
      const agent: unknown = args.get("agent");
      if (!this.#yaml.isMap(agent)) return true;
      this.#servePath(agent);
      return !agent.has("code");
    });
  }

  #agentToolArgs(tool: unknown): YAMLMap | undefined {
    if (!this.#yaml.isMap(tool)) return undefined;
    const name = tool.get("name");
    const args: unknown = tool.get("args");
    return typeof name === "string" && simpleTool(name) === "AgentTool" && this.#yaml.isMap(args) ? args : undefined;
  }

  #servePath(ref: YAMLMap): void {
    this.#rename(ref, snakeCase);
    const path = ref.get("config_path");
    if (typeof path === "string") ref.set("config_path", this.#resolve(path));
  }

  #rename(map: YAMLMap, rename: (key: string) => string): void {
    for (const { key } of map.items as Pair[])
      if (this.#yaml.isScalar(key) && typeof key.value === "string") key.value = rename(key.value);
  }
}

/** Keeps long lines unwrapped. */
export const OUTPUT = { lineWidth: 0 } as const;
