import type { Awaitable } from "./context/plugin-chains.ts";
import type { ReadonlyContext } from "./context/readonly-context.ts";

/** Makes the instruction anew for each step; its text is used as it is, without templating. */
export type InstructionProvider = (context: ReadonlyContext) => Awaitable<string>;

/** Text (a template filled from state and artifacts) or a function that gives the text. */
export type Instruction =
  | { readonly kind: "static"; readonly text: string }
  | { readonly kind: "provider"; readonly provide: InstructionProvider };

/**
 * What becomes of `{name}` in the text of an instruction: LENIENT fills it and leaves what names nothing as it is,
 * STRICT fails the turn for that, OFF fills nothing.
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
