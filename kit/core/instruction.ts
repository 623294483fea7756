import type { Awaitable } from "./context/plugin-chains.ts";
import type { ReadonlyContext } from "./context/readonly-context.ts";

/** Returns the instruction for each step; its text is used unchanged, without templating. */
export type InstructionProvider = (context: ReadonlyContext) => Awaitable<string>;

/** Text (a template filled from state and artifacts) or a function that returns the text. */
export type Instruction =
  | { readonly kind: "static"; readonly text: string }
  | { readonly kind: "provider"; readonly provide: InstructionProvider };

/**
 * How `{name}` in the text of an instruction is handled: LENIENT fills it and leaves an unknown name unchanged, STRICT
 * fails the turn for an unknown name, OFF fills nothing.
 */
export const InstructionTemplates = { LENIENT: "LENIENT", STRICT: "STRICT", OFF: "OFF" } as const;
export type InstructionTemplates = (typeof InstructionTemplates)[keyof typeof InstructionTemplates];

export function toInstruction(
  instruction: string | InstructionProvider | Instruction | undefined,
): Instruction | undefined {
  if (instruction === undefined || instruction === "") return undefined;
  if (typeof instruction === "string") return { kind: "static", text: instruction };
  if (typeof instruction === "function") return { kind: "provider", provide: instruction };
  return instruction;
}
