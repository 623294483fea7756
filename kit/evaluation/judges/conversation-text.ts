import type { Part } from "#kit/events/content.ts";
import type { Invocation } from "../eval-set.ts";
import { answerOf, linesOf } from "../metrics/turn-parts.ts";

/** The conversation with its tool calls, one line each. */
export function conversationText(invocations: readonly Invocation[]): string {
  return invocations.flatMap((invocation, index) => turnLines(invocation, index + 1)).join("\n");
}

/** The dialogue of the user and the agent. */
export function dialogueText(invocations: readonly Invocation[]): string {
  const lines = invocations.flatMap((invocation) => [
    `user: ${linesOf(invocation.userContent)}`,
    ...(invocation.finalResponse === undefined ? [] : [`agent: ${answerOf(invocation)}`]),
  ]);
  return lines.join("\n\n");
}

function turnLines(invocation: Invocation, turn: number): readonly string[] {
  const events = invocation.intermediateData?.invocationEvents ?? [];
  const steps = events.flatMap(({ author, content }) =>
    (content?.parts ?? []).flatMap((part) => stepLine(part).map((line) => `Turn ${turn}, agent ${author}, ${line}`)),
  );
  const answer = answerOf(invocation);
  return [
    `Turn ${turn}, user: ${linesOf(invocation.userContent)}`,
    ...steps,
    ...(answer === "" ? [] : [`Turn ${turn}, agent, answer: ${answer}`]),
  ];
}

function stepLine({ text, thought, functionCall, functionResponse }: Part): readonly string[] {
  if (functionCall !== undefined)
    return [`calls ${functionCall.name ?? ""}: ${JSON.stringify(functionCall.args ?? {})}`];
  if (functionResponse !== undefined)
    return [`gets from ${functionResponse.name ?? ""}: ${JSON.stringify(functionResponse.response ?? {})}`];
  return text && thought !== true ? [`says: ${text}`] : [];
}
