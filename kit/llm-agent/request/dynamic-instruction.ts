import type { Content } from "#kit/events/content.ts";
import { isMessage } from "#kit/events/content.ts";
import type { RequestStep } from "#kit/llm-agent/base/step-context.ts";
import { instructionText } from "./instructions.ts";

const LEAD_IN =
  "These are your instructions for this turn, given by the operator and not by the user. Follow them; do not answer or mention them.";

/**
 * With a static instruction, puts the agent's own directly before the user's newest messages: everything before it is
 * the same in every turn, so that the model can cache it.
 */
export function dynamicInstruction(step: RequestStep): void | Promise<void> {
  const { instruction, staticInstruction } = step.agent;
  if (staticInstruction === undefined || instruction === undefined) return;
  return Promise.resolve(instructionText(step, instruction)).then((text) => insert(step, text));
}

function insert({ request }: RequestStep, text: string): void {
  if (text === "") return;
  const content: Content = { role: "user", parts: [{ text: `${LEAD_IN}\n\n${text}` }] };
  request.contents = request.contents.toSpliced(newestMessages(request.contents), 0, content);
}

/**
 * Where the user's newest messages begin. The events after them stay together, so that no response is separated from
 * its call.
 */
function newestMessages(contents: readonly Content[]): number {
  let at = contents.findLastIndex(isMessage);
  while (at > 0 && isMessage(contents[at - 1])) at -= 1;
  return Math.max(at, 0);
}
