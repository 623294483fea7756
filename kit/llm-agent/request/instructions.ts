import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import type { Instruction } from "#kit/core/instruction.ts";
import { isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { RequestStep } from "#kit/llm-agent/base/step-context.ts";
import { fillTemplate } from "./template.ts";

/** Adds the agent's name and description. */
export function identity({ agent, request }: RequestStep): void {
  request.appendInstructions(
    `You are an agent. Your internal name is "${agent.name}".` +
      (agent.description === "" ? "" : ` The description about you is "${agent.description}".`),
  );
}

/**
 * Adds the root's global instruction, then the agent's static one, then its own, unless `dynamicInstruction` adds that.
 */
export function instructions(step: RequestStep): void | Promise<void> {
  const { agent, request } = step;
  const root = agent.rootAgent;
  const global = isLlmAgent(root) ? root.globalInstruction : undefined;
  const own = agent.staticInstruction === undefined ? agent.instruction : undefined;
  const texts = [
    global === undefined ? "" : instructionText(step, global),
    agent.staticInstruction ?? "",
    own === undefined ? "" : instructionText(step, own),
  ];
  if (texts.every((text) => typeof text === "string")) request.appendInstructions(...texts);
  else return Promise.all(texts).then((filled) => request.appendInstructions(...filled));
}

/** A promise only if state, files or a provider require one. */
export function instructionText({ agent, context }: RequestStep, instruction: Instruction): string | Promise<string> {
  if (instruction.kind === "provider") return instruction.provide(new ReadonlyContext(context));
  const { text } = instruction;
  return text.includes("{") ? fillTemplate(text, new ReadonlyContext(context), agent.instructionTemplates) : text;
}
