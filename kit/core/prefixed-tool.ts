import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { BaseTool, type ToolOrigin } from "./base-tool.ts";
import type { ToolContext } from "./context/tool-context.ts";

/** A tool under another name. */
export class PrefixedTool extends BaseTool {
  readonly #tool: BaseTool;
  #declaration: FunctionDeclaration | undefined;

  constructor(tool: BaseTool, prefix: string) {
    const { timeoutMs, ...options } = tool;
    super({ ...options, timeoutMs, name: `${prefix}_${tool.name}` });
    this.#tool = tool;
  }

  override get toolOrigin(): ToolOrigin {
    return this.#tool.toolOrigin;
  }

  override get declaresConfirmation(): boolean {
    return this.#tool.declaresConfirmation;
  }

  override needsConfirmation(args: JsonObject, context: ToolContext): boolean | Promise<boolean> {
    return this.#tool.needsConfirmation(args, context);
  }

  override getDeclaration(): FunctionDeclaration | undefined {
    const declaration = this.#tool.getDeclaration();
    if (declaration === undefined) return undefined;
    this.#declaration ??= { ...declaration, name: this.name };
    return this.#declaration;
  }

  override runAsync(args: JsonObject, context: ToolContext): Promise<unknown> {
    return this.#tool.runAsync(args, context);
  }

  override close(): Promise<void> {
    return this.#tool.close();
  }
}
