import type { ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import { type Instruction, type InstructionProvider, toInstruction } from "#kit/core/instruction.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { fillTemplate } from "#kit/llm-agent/request/template.ts";

/** Options of a `GlobalInstructionPlugin`. */
export interface GlobalInstructionPluginOptions {
  /** The plugin's name; `global_instruction` by default. */
  readonly name?: string;
  /** A text, which is a template filled from state and artifacts, or a function that returns the text. */
  readonly globalInstruction: string | InstructionProvider | Instruction;
}

/** Puts the same instruction at the beginning of every agent's instructions. */
export class GlobalInstructionPlugin implements Plugin {
  readonly name: string;
  readonly #instruction: Instruction | undefined;

  constructor({ name = "global_instruction", globalInstruction }: GlobalInstructionPluginOptions) {
    this.name = name;
    this.#instruction = toInstruction(globalInstruction);
  }

  async beforeModelCallback(context: CallbackContext, request: ToolLlmRequest): Promise<undefined> {
    const instruction = this.#instruction;
    if (instruction === undefined) return;
    const text =
      instruction.kind === "provider"
        ? await instruction.provide(context)
        : await fillTemplate(instruction.text, context);
    request.prependInstructions(text);
  }
}
