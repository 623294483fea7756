import type { RequestStep } from "#kit/llm-agent/base/step-context.ts";

/** Adds the agent's name and description. */
export function identity({ agent, request }: RequestStep): void {
  request.appendInstructions(
    `You are an agent. Your internal name is "${agent.name}".` +
      (agent.description === "" ? "" : ` The description about you is "${agent.description}".`),
  );
}
