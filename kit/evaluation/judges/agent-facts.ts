import type { AppDetails, Invocation } from "../eval-set.ts";
import { answeredCallsOf } from "../metrics/turn-parts.ts";
import { promptJson } from "./prompt.ts";

/** The parts of judges' prompts that describe the agents of a turn. */

/** The instructions of all agents that took part, each under its agent's name. */
export function instructionsText(details: AppDetails | undefined): string {
  const agents = Object.values(details?.agentDetails ?? {});
  const texts = agents.flatMap(({ name, instructions }) => (instructions ? [`${name}:\n${instructions}`] : []));
  return texts.join("\n\n") || "None.";
}

/** The declarations of the agents' tools, by agent. */
export function toolsText(details: AppDetails | undefined): string {
  const agents = Object.values(details?.agentDetails ?? {}).filter(
    ({ toolDeclarations = [] }) => toolDeclarations.length > 0,
  );
  if (agents.length === 0) return "The agent has no tools.";
  return promptJson(Object.fromEntries(agents.map(({ name, toolDeclarations }) => [name, toolDeclarations])));
}

/** Calls and responses of tools, step by step. */
export function callsText(invocation: Invocation): string {
  const calls = answeredCallsOf(invocation);
  if (calls.length === 0) return "No tool was called.";
  return promptJson(
    calls.map(({ call: { name, args = {} }, response }, step) => {
      return { step, name: name ?? "", args, response: response?.response ?? null };
    }),
  );
}

/** The sources that a search of the model named. */
export function groundingText({ intermediateData }: Invocation): string {
  const events = intermediateData?.invocationEvents ?? [];
  const grounding = events.flatMap(({ groundingMetadata }) => groundingMetadata ?? []);
  return grounding.length === 0 ? "None." : promptJson(grounding);
}
