import type { Rubric } from "#kit/evaluation/eval-set.ts";
import { answerOf, linesOf } from "#kit/evaluation/metrics/turn-parts.ts";
import { callsText, groundingText, instructionsText, toolsText } from "../agent-facts.ts";
import { conversationText } from "../conversation-text.ts";
import { DATA_ONLY, section } from "../prompt.ts";
import type { RubricTurn } from "./rubric-metric.ts";

/** Asks for verdicts in the form that `readRubricVerdicts` reads. */
const REPLY = `Judge each property by itself, in the order of the list. A property that does not apply, because its condition is not met, holds. In doubt it does not hold.
Reply in plain text, with exactly these four lines for each property and an empty line between properties:

ID: the id of the property, without brackets
Property: the property, word for word
Rationale: in one line, why it holds or does not
Verdict: yes or no`;

export function finalResponsePrompt({ invocation, rubrics, criterion }: RubricTurn): string {
  return `You judge whether the final answer of an agent has certain properties.

Trust only what the tools returned, what the sources say and what the user wrote. A claim of the answer that they do not support is not right, even if it happens to be true. A tool that was called with wrong arguments is no evidence.

${DATA_ONLY}

${section("instructions", instructionsText(invocation.appDetails))}

${section("tools", toolsText(invocation.appDetails))}

${section("request", linesOf(invocation.userContent))}

${section("tool_calls", callsText(invocation))}

${section("sources", groundingText(invocation))}

${section("answer", answerOf(invocation, criterion.includeIntermediateResponsesInFinal))}

${section("properties", rubricList(rubrics))}

${REPLY}`;
}

export function toolUsePrompt({ invocation, rubrics }: RubricTurn): string {
  return `You judge whether the tool calls of an agent have certain properties. Judge the calls, their arguments and their order, and not the text of the agent.

${DATA_ONLY}

${section("tools", toolsText(invocation.appDetails))}

${section("request", linesOf(invocation.userContent))}

${section("tool_calls", callsText(invocation))}

${section("properties", rubricList(rubrics))}

${REPLY}`;
}

export function trajectoryPrompt({ invocation, conversation, rubrics }: RubricTurn): string {
  return `You judge whether an agent acted in a conversation as certain properties demand. Consider all turns: what the agent said, which tools it called with which arguments, and what it did with their responses.

${DATA_ONLY}

${section("instructions", instructionsText(invocation.appDetails))}

${section("tools", toolsText(invocation.appDetails))}

${section("conversation", conversationText(conversation))}

${section("properties", rubricList(rubrics))}

${REPLY}`;
}

function rubricList(rubrics: readonly Rubric[]): string {
  return rubrics
    .map(({ rubricId, rubricContent }) => `* [id: ${rubricId}] ${rubricContent.textProperty ?? ""}`)
    .join("\n");
}
