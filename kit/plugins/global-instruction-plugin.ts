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

  /** Takes its options, or the instruction and a name, as in ADK for JavaScript. */
  constructor(given: GlobalInstructionPluginOptions | string | InstructionProvider = "", givenName?: string) {
    const options = typeof given === "object" ? given : { globalInstruction: given, name: givenName };
    this.name = options.name ?? "global_instruction";
    this.#instruction = toInstruction(options.globalInstruction);
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
