import { BaseTool, type ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { MemoryEntry } from "../memory/memory-service.ts";
import type { FunctionDeclaration } from "../models/llm-request.ts";
import type { JsonObject } from "../platform/json.ts";

/** The response that the model gets. */
export interface LoadMemoryResponse {
  /** Best match first. */
  readonly memories: readonly MemoryEntry[];
}

/** Lets the model search the memory of the user's earlier sessions. */
export class LoadMemoryTool extends BaseTool {
  readonly #declaration: FunctionDeclaration;

  constructor() {
    super({
      name: "load_memory",
      description: "Searches the memory of earlier conversations with this user.",
      idempotent: true,
    });
    this.#declaration = {
      name: this.name,
      description: this.description,
      parameters: {
        type: "object",
        properties: { query: { type: "string", description: "Words to search for." } },
        required: ["query"],
      },
    };
  }

  override getDeclaration(): FunctionDeclaration {
    return this.#declaration;
  }

  override async runAsync(args: JsonObject, context: ToolContext): Promise<LoadMemoryResponse | { error: string }> {
    const { query } = args;
    if (typeof query !== "string") return { error: 'Give "query", the words to search for, as a text.' };
    const { memories } = await context.searchMemory(query);
    return { memories };
  }

  override processLlmRequest(context: ToolContext, request: ToolLlmRequest): void | Promise<void> {
    request.appendInstructions(INSTRUCTION);
    return super.processLlmRequest(context, request);
  }
}

const INSTRUCTION =
  "You have a memory of earlier conversations with this user. When an answer may depend on it, search it first: call " +
  "load_memory with a query.";
