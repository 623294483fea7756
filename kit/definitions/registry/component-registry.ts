import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { BaseTool, Toolset } from "#kit/core/base-tool.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import type { AgentRefConfig, BaseAgentConfig, CallbackRef } from "#kit/definitions/yaml/agent-config.ts";
import type { ToolArgsConfig } from "#kit/definitions/yaml/tool-args-config.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Planner } from "#kit/planners/planner.ts";
import type { Shape } from "#kit/schema/shape.ts";

/** The parts that an agent is built from, resolved and built already. */
export interface AgentParts {
  readonly subAgents: readonly BaseAgent[];
  readonly tools: readonly (BaseTool | Toolset)[];
  /** The callbacks that the references name. The caller that registers a callback is responsible for its parameters. */
  callbacks<Call extends Callback>(refs: readonly CallbackRef[] | undefined): readonly Call[];
  /** Named instances of the registry, such as schemas and models. */
  readonly instances: Pick<ComponentTable<unknown>, "get" | "names">;
  /** Planners that definitions may name. */
  readonly planners: Pick<ComponentTable<PlannerClass>, "get" | "names">;
  /**
   * Reads a member of the definition, or of a map in it, by fields of its own; an absent member counts as an empty map.
   * Undefined if it has a problem, which is reported.
   */
  read<Config extends object>(owner: object, member: string, fields: Shape<Config>): Config | undefined;
  /** Reports a problem at a field of the definition, or of a map in it. */
  refuse(field: string, message: string, owner?: object): void;
}

/** The parts that a planner is built from. */
export type PlannerParts = Pick<AgentParts, "subAgents" | "instances">;

/** A kind of planner that definitions may name. */
export interface PlannerClass<Args extends object = object> {
  /** The fields of its `args`; absent: it takes none. */
  readonly fields?: Shape<Args>;
  /** Called if the arguments have no problem. Throws for values that it refuses; the file's author reads the message. */
  fromConfig(args: Args, parts: PlannerParts): Planner;
}

/** A kind of agent that definitions may name: a class with these static members. */
export interface AgentClass<Config extends BaseAgentConfig = BaseAgentConfig> {
  /** The fields of its definitions; absent: only those of all agents. */
  readonly fields?: Shape<Config>;
  /** Reports problems that the fields alone do not show. Fields with problems may be missing. */
  check?(config: Partial<Config>, parts: AgentParts): void;
  /** Called if the file has no problem. */
  fromConfig(config: Config, parts: AgentParts): BaseAgent;
}

/** The lookups for a tool that is built from its arguments. */
export interface ToolParts {
  /** The agent that a reference in the arguments names. */
  agent(ref: AgentRefConfig): Promise<BaseAgent>;
  /** A tool of the registry by name, or undefined. */
  tool(name: string): BaseTool | undefined;
  /** A named instance of the registry, such as a provider of examples, or undefined. */
  instance(name: string): unknown;
  /** The text of a file in the app's folder, by its path from the definition. Throws if there is none. */
  file(path: string): Promise<string>;
}

/**
 * A kind of tool that definitions may name. Throws for invalid arguments; the message is shown to the file's author.
 */
export interface ToolClass {
  fromConfig(args: ToolArgsConfig, parts: ToolParts): BaseTool | Promise<BaseTool>;
}

/** Makes a toolset from the `args` of a definition. Throws for arguments that it does not take. */
export interface ToolsetClass {
  fromConfig(args: ToolArgsConfig, parts: ToolParts): Toolset | Promise<Toolset>;
}

/** The lookups for a plugin that is built from its arguments. */
export type PluginParts = Pick<ToolParts, "instance">;

/**
 * A kind of plugin that an app's settings may name. Throws for invalid arguments; the message is shown to the file's
 * author.
 */
export interface PluginClass {
  fromConfig(args: ToolArgsConfig, parts: PluginParts): Plugin | Promise<Plugin>;
}

/** A callback that definitions may name. Its arguments depend on the field that names it. */
export type Callback = (...args: never[]) => unknown;

const ADK_MODULES = /^(?:com\.)?google\.adk\.(?:[a-z0-9_]+\.)*([A-Za-z]\w*)$/;

/** Components of one kind by name. */
export class ComponentTable<Component> {
  readonly #components = new Map<string, Component>();
  readonly #parent: ComponentTable<Component> | undefined;

  constructor(parent?: ComponentTable<Component>) {
    this.#parent = parent;
  }

  /** Replaces a component of the same name. Throws `INVALID_FIELD` for a blank name. */
  register(name: string, component: Component): this {
    if (name.trim() === "") throw new PlatformError("INVALID_FIELD", "A component needs a name.");
    this.#components.set(name, component);
    return this;
  }

  /** ADK's names may have modules before them: of `google.adk.agents.llm_agent.LlmAgent` the last part counts. */
  get(name: string): Component | undefined {
    const found = this.#components.get(name) ?? this.#parent?.get(name);
    if (found !== undefined) return found;
    const [, short] = ADK_MODULES.exec(name) ?? [];
    return short === undefined ? undefined : this.get(short);
  }

  /** Sorted. */
  names(): readonly string[] {
    return [...new Set([...this.#components.keys(), ...(this.#parent?.names() ?? [])])].sort();
  }
}

/**
 * The components that definitions may name. Definitions contain data only, so the program registers everything else
 * they use here, under a name. A registry with a parent adds to it and hides components of the same name.
 */
export class ComponentRegistry {
  /**
   * Named instances. Agents that definitions refer to by `code` are registered here, preferably as a function that
   * creates a new one each time.
   */
  readonly instances: ComponentTable<unknown>;
  readonly agentClasses: ComponentTable<AgentClass>;
  readonly toolClasses: ComponentTable<ToolClass>;
  readonly toolInstances: ComponentTable<BaseTool>;
  readonly toolsetClasses: ComponentTable<ToolsetClass>;
  readonly callbacks: ComponentTable<Callback>;
  readonly plannerClasses: ComponentTable<PlannerClass>;
  readonly pluginClasses: ComponentTable<PluginClass>;
  /**
   * Existing plugins. A plugin is closed with the app that uses it, so one with something to close should be registered
   * as a class.
   */
  readonly pluginInstances: ComponentTable<Plugin>;

  constructor(parent?: ComponentRegistry) {
    this.instances = new ComponentTable(parent?.instances);
    this.agentClasses = new ComponentTable(parent?.agentClasses);
    this.toolClasses = new ComponentTable(parent?.toolClasses);
    this.toolInstances = new ComponentTable(parent?.toolInstances);
    this.toolsetClasses = new ComponentTable(parent?.toolsetClasses);
    this.callbacks = new ComponentTable(parent?.callbacks);
    this.plannerClasses = new ComponentTable(parent?.plannerClasses);
    this.pluginClasses = new ComponentTable(parent?.pluginClasses);
    this.pluginInstances = new ComponentTable(parent?.pluginInstances);
  }
}
