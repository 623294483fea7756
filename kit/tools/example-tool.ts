import { BaseTool, type ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { type BaseExampleProvider, type Example, formatExamples } from "./format-examples.ts";

type Examples = BaseExampleProvider | readonly Example[];

/** Adds few-shot examples to the system instructions. The model cannot call it. */
export class ExampleTool extends BaseTool {
  readonly #examples: Examples;

  /** Takes its options, or the examples, as in ADK for JavaScript. */
  constructor(given: { readonly examples: Examples } | Examples = []) {
    super({ name: "example_tool", description: "Shows the model examples of good answers." });
    this.#examples = "examples" in given ? given.examples : given;
  }

  override async runAsync(): Promise<unknown> {
    return { error: "example_tool cannot be called." };
  }

  /** Only a message that begins with text gets examples, because examples are found by text. */
  override async processLlmRequest(context: ToolContext, request: ToolLlmRequest): Promise<void> {
    const query = context.userContent?.parts?.[0]?.text;
    if (query === undefined || query === "") return;
    const examples = isList(this.#examples) ? this.#examples : await this.#examples.getExamples(query);
    if (examples.length > 0) request.appendInstructions(formatExamples(examples));
  }
}

function isList(examples: BaseExampleProvider | readonly Example[]): examples is readonly Example[] {
  return Array.isArray(examples);
}
