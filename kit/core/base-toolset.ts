import { isFrameworkName } from "#kit/events/reserved-calls.ts";
import type { BaseTool, Toolset } from "./base-tool.ts";
import type { ReadonlyContext } from "./context/readonly-context.ts";
import { PrefixedTool } from "./prefixed-tool.ts";

/** Decides whether a tool of a toolset is given to the model in this step. */
export type ToolPredicate = (tool: BaseTool, context: ReadonlyContext) => boolean;
/** Names of tools, or a function that decides whether a tool is selected. */
export type ToolFilter = readonly string[] | ToolPredicate;

/** Options that all toolsets have. */
export interface ToolsetOptions {
  /** The tools to select; absent: all. Names are given without the prefix. */
  readonly toolFilter?: ToolFilter;
  /** Put before each name with an underscore, so that one agent can have toolsets whose tools have equal names. */
  readonly toolNamePrefix?: string;
}

/**
 * A toolset whose tools can be chosen and renamed. One instance serves all runs of its agent and is closed with the
 * runner.
 */
export abstract class BaseToolset implements Toolset {
  readonly #filter: ToolFilter | undefined;
  readonly #prefix: string;
  /** Renamed tools by their originals, so that each is created once. */
  readonly #renamed = new WeakMap<BaseTool, BaseTool>();

  /** Names of tools that were left out because the framework reserves them: each is logged once. */
  readonly #leftOut = new Set<string>();

  constructor({ toolFilter, toolNamePrefix = "" }: ToolsetOptions = {}) {
    this.#filter = toolFilter;
    this.#prefix = toolNamePrefix;
  }

  /** All tools of the toolset, under their own names; called for each step. */
  protected abstract loadTools(context: ReadonlyContext): readonly BaseTool[] | Promise<readonly BaseTool[]>;

  /**
   * The tools for the model in this step: filtered, then renamed with the prefix. Tools with reserved names are left
   * out.
   */
  async getTools(context: ReadonlyContext): Promise<readonly BaseTool[]> {
    const tools = await this.loadTools(context);
    const selected =
      this.#filter === undefined ? tools : tools.filter((tool) => this.isToolSelected(tool, this.#filter, context));
    const named = this.#prefix === "" ? selected : selected.map((tool) => this.#rename(tool));
    return named.every(({ name }) => !isFrameworkName(name)) ? named : this.#withoutFrameworkNames(named, context);
  }

  isToolSelected(tool: BaseTool, filter: ToolFilter | undefined, context: ReadonlyContext): boolean {
    return isToolSelected(tool, filter, context);
  }

  async close(): Promise<void> {}

  /**
   * Tool names often come from other servers. A server must not define a tool under a name that the framework reserves
   * for its own calls.
   */
  #withoutFrameworkNames(tools: readonly BaseTool[], context: ReadonlyContext): readonly BaseTool[] {
    return tools.filter(({ name }) => {
      if (!isFrameworkName(name)) return true;
      if (!this.#leftOut.has(name)) {
        const { logger } = context.invocationContext.services;
        logger.warn({ tool: name }, "tool left out: its name is reserved; give the toolset a toolNamePrefix");
      }
      this.#leftOut.add(name);
      return false;
    });
  }

  #rename(tool: BaseTool): BaseTool {
    const known = this.#renamed.get(tool) ?? new PrefixedTool(tool, this.#prefix);
    this.#renamed.set(tool, known);
    return known;
  }
}

/** No filter takes every tool; a list takes those it names; a function decides. */
export function isToolSelected(tool: BaseTool, filter: ToolFilter | undefined, context: ReadonlyContext): boolean {
  if (filter === undefined) return true;
  return typeof filter === "function" ? filter(tool, context) : filter.includes(tool.name);
}
