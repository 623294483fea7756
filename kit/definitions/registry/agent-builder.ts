import { BaseAgent } from "#kit/core/base-agent.ts";
import type { AgentRefConfig, BaseAgentConfig, CallbackRef } from "#kit/definitions/yaml/agent-config.ts";
import { BASE_AGENT_FIELDS } from "#kit/definitions/yaml/agent-config-fields.ts";
import type { ConfigNode, Position } from "#kit/definitions/yaml/config-node.ts";
import type { DefinitionFolder } from "#kit/definitions/yaml/definition-folder.ts";
import { DefinitionException, type ProblemList } from "#kit/definitions/yaml/definition-problem.ts";
import { parseDefinition } from "#kit/definitions/yaml/parse-definition.ts";
import { Reading } from "#kit/definitions/yaml/reading.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import { buildTools, type ToolBuild } from "./build-tools.ts";
import type { AgentClass, AgentParts, Callback, ComponentRegistry, ComponentTable } from "./component-registry.ts";

const DEFAULT_AGENT_CLASS = "LlmAgent";
/** Descriptions of interfaces are longer than definitions. */
const MAX_TOOL_FILE_BYTES = 16 * 1024 * 1024;

/** The place of a reference to a file. */
interface Reference {
  readonly problems: ProblemList;
  readonly at: Position | undefined;
  /** The files that lead to it, the root first. */
  readonly chain: readonly string[];
}

/** One file on the path to an agent. */
interface DefinitionFile {
  readonly file: string;
  readonly reading: Reading;
  /** The files that refer to this one, the root first. */
  readonly chain: readonly string[];
}

/**
 * Builds the agents of one app from its files. Problems are collected in the list; the agents are complete only if
 * there is none.
 */
export class AgentBuilder {
  readonly #folder: DefinitionFolder;
  readonly #registry: ComponentRegistry;
  readonly #problems: ProblemList;
  readonly #used = new Set<string>();
  readonly #names = new Map<string, string>();

  constructor(folder: DefinitionFolder, registry: ComponentRegistry, problems: ProblemList) {
    this.#folder = folder;
    this.#registry = registry;
    this.#problems = problems;
  }

  /** The agent of the file with the agents that it refers to; undefined if there is a problem. */
  async build(file: string, from?: Reference): Promise<BaseAgent | undefined> {
    const problems = this.#problems.forFile(this.#folder.labelOf(file));
    const before = problems.count;
    const source = { file, reading: new Reading(problems), chain: [...(from?.chain ?? []), file] };
    const read = await this.#folder.read(file);
    if (!read.ok) return refuse(from?.problems ?? problems, `${file} ${read.problem}.`, from?.at);
    const node = await parseDefinition(read.text, problems);
    if (node === undefined) return undefined;
    const agentClass = this.#classOf(node, source);
    // The fields of an unknown class are unknown too.
    if (agentClass === undefined) return undefined;
    const config = source.reading.read<BaseAgentConfig>(node, agentClass.fields ?? BASE_AGENT_FIELDS);
    if (config === undefined) return undefined;
    this.#claimName(config, source);
    const parts = await this.#partsOf(config, source);
    agentClass.check?.(config, parts);
    if (problems.count > before) return undefined;
    return construct(() => agentClass.fromConfig(config, parts), config, source.reading);
  }

  #classOf(node: ConfigNode, { reading }: DefinitionFile): AgentClass | undefined {
    const entries = node.kind === "map" ? node.entries : [];
    const entry = entries.find(({ key }) => key === "agentClass" || key === "agent_class");
    const given = entry?.value.kind === "scalar" ? entry.value.value : undefined;
    const name = typeof given === "string" ? given : DEFAULT_AGENT_CLASS;
    const { agentClasses } = this.#registry;
    const found = agentClasses.get(name);
    if (found !== undefined) return found;
    const hint = suggestion(name, agentClasses.names()) || ".";
    reading.problems.add(`No agent class "${name}" is registered${hint}`, entry?.value.at);
    return undefined;
  }

  #claimName(config: BaseAgentConfig, { file, reading }: DefinitionFile): void {
    if (config.name === undefined) return;
    const other = this.#names.get(config.name);
    if (other === undefined) this.#names.set(config.name, file);
    else
      reading.problems.add(
        `"${config.name}" is the name of ${other} too: rename one, because names are unique within a tree.`,
        reading.placeOf(config, "name"),
      );
  }

  async #partsOf(config: BaseAgentConfig, source: DefinitionFile): Promise<AgentParts> {
    const subAgents: BaseAgent[] = [];
    for (const ref of config.subAgents ?? []) {
      const agent = await this.#agentOf(ref, source);
      if (agent !== undefined) subAgents.push(agent);
    }
    const { reading } = source;
    const build: ToolBuild = {
      registry: this.#registry,
      reading,
      // An agent that serves as a tool is not part of the tree: it has its own names and files.
      agent: (ref, at) => new AgentBuilder(this.#folder, this.#registry, this.#problems).#agentOf(ref, source, at),
      file: (path) => this.#textOf(path, source.file),
    };
    const tools = await buildTools(config, build);
    this.#checkCallbacks(config, reading);
    return {
      subAgents,
      tools,
      callbacks: (refs) => callbacksOf(refs, this.#registry.callbacks),
      instances: this.#registry.instances,
      planners: this.#registry.plannerClasses,
      read: (owner, member, fields) => reading.readMember(owner, member, fields),
      refuse: (field, message, owner = config) => reading.problems.add(message, reading.placeOf(owner, field)),
    };
  }

  async #textOf(path: string, from: string): Promise<string> {
    const target = this.#folder.resolve(from, path);
    if (target === undefined)
      throw new ConfigurationException(`"${path}" leaves the app's folder: keep files inside it.`);
    const read = await this.#folder.read(target, MAX_TOOL_FILE_BYTES);
    if (read.ok) return read.text;
    throw new ConfigurationException(`${this.#folder.labelOf(target)} ${read.problem}.`);
  }

  async #agentOf(
    ref: AgentRefConfig,
    source: DefinitionFile,
    at: Position | undefined = source.reading.placeOf(ref),
  ): Promise<BaseAgent | undefined> {
    const { problems } = source.reading;
    if (ref.configPath !== undefined) return this.#fileOf(ref.configPath, source, at);
    if (ref.code === undefined)
      return refuse(
        problems,
        "An agent is named by config_path or code here: write this one in a file of its own, and give its config_path.",
        at,
      );
    const registered = this.#registry.instances.get(ref.code);
    const agent: unknown = typeof registered === "function" ? registered() : registered;
    if (!(agent instanceof BaseAgent)) {
      const hint = suggestion(ref.code, this.#registry.instances.names()) || ".";
      return refuse(problems, `No agent "${ref.code}" is registered${hint}`, at);
    }
    if (agent.parentAgent === undefined) return agent;
    const fix = "register a function that makes it, since an agent has one place in one tree";
    return refuse(problems, `The agent "${ref.code}" is in use already: ${fix}.`, at);
  }

  async #fileOf(
    configPath: string,
    { file, reading, chain }: DefinitionFile,
    at: Position | undefined,
  ): Promise<BaseAgent | undefined> {
    if (configPath.includes("\\"))
      return refuse(reading.problems, `"${configPath}" has backslashes: write / between folders, on Windows too.`, at);
    const target = this.#folder.resolve(file, configPath);
    if (target === undefined)
      return refuse(reading.problems, `"${configPath}" leaves the app's folder: keep definitions inside it.`, at);
    if (!/\.(ya?ml|json)$/i.test(target))
      return refuse(reading.problems, `"${configPath}" is not a definition: name a .yaml, .yml or .json file.`, at);
    if (chain.includes(target))
      return refuse(
        reading.problems,
        `The agents refer to each other in a circle: ${[...chain, target].join(" → ")}.`,
        at,
      );
    if (this.#used.has(target))
      return refuse(reading.problems, `${target} is in the tree already: an agent has one place in it.`, at);
    this.#used.add(target);
    return this.build(target, { problems: reading.problems, at, chain });
  }

  #checkCallbacks(config: BaseAgentConfig, reading: Reading): void {
    const { callbacks } = this.#registry;
    for (const [field, refs] of Object.entries(config)) {
      if (!field.endsWith("Callbacks") || !Array.isArray(refs)) continue;
      // Fields with that suffix contain references to callbacks, by the table they were read with.
      for (const ref of refs as readonly CallbackRef[]) {
        if (ref.name === undefined || callbacks.get(ref.name) !== undefined) continue;
        const hint = suggestion(ref.name, callbacks.names()) || ".";
        reading.problems.add(`No callback "${ref.name}" is registered${hint}`, reading.placeOf(ref, "name"));
      }
    }
  }
}

function callbacksOf<Call extends Callback>(
  refs: readonly CallbackRef[] = [],
  table: ComponentTable<Callback>,
): readonly Call[] {
  const calls = refs.map(({ name }) => table.get(name)).filter((call) => call !== undefined);
  // A function's parameters are unknown; a function of another kind fails when it is called, with its agent's name.
  return calls as unknown as readonly Call[];
}

/** An error of the kit (an invalid name, an invalid model) is a problem of the file. */
function construct(create: () => BaseAgent, config: BaseAgentConfig, reading: Reading): BaseAgent | undefined {
  try {
    return create();
  } catch (error) {
    if (error instanceof DefinitionException || !(error instanceof PlatformError)) throw error;
    const field = error.details["field"] ?? "name";
    return refuse(reading.problems, error.message, reading.placeOf(config, field));
  }
}

function refuse(problems: ProblemList, message: string, at?: Position): undefined {
  problems.add(message, at);
  return undefined;
}
