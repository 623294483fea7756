import { type Metric, type MetricInput, scoredMetric } from "../metrics/metric.ts";
import { expectedOf, mean } from "../metrics/scores.ts";
import { answerOf, linesOf } from "../metrics/turn-parts.ts";
import { Judge } from "./ask-judge.ts";
import { judgeCriterion } from "./judge-criterion.ts";
import { overallScore, turnScore } from "./judged-turns.ts";
import { readValidity } from "./parsing/validity-label.ts";
import { DATA_ONLY, section } from "./prompt.ts";
import { majority } from "./verdicts.ts";

/** Asks whether answers have the meaning of the expected ones. */
export const FINAL_RESPONSE_MATCH: Metric = scoredMetric(
  "final_response_match_v2",
  "Share of answers that a judge model finds equal in meaning to the expected ones.",
  async (input: MetricInput) => {
    const { threshold, judge: options, includeIntermediateResponsesInFinal = false } = judgeCriterion(input.metric);
    const expected = expectedOf(input);
    const judge = new Judge(input, options);
    const turns = await Promise.all(
      input.actual.map(async (actual, invocation) => {
        const reference = expected[invocation] ?? actual;
        const prompt = promptFor({
          question: linesOf(reference.userContent),
          answer: answerOf(actual, includeIntermediateResponsesInFinal),
          reference: answerOf(reference, includeIntermediateResponsesInFinal),
        });
        return majority(await judge.askSamples({ invocation, step: "answer", prompt }), readValidity);
      }),
    );
    const score = mean(turns.flatMap((turn) => turn.score ?? []));
    return {
      overall: overallScore(score, { threshold, turns }),
      perInvocation: turns.map((turn) => turnScore(turn, threshold)),
    };
  },
);

interface Compared {
  readonly question: string;
  readonly answer: string;
  readonly reference: string;
}

function promptFor({ question, answer, reference }: Compared): string {
  return `You compare an agent's answer with a reference answer to the same request. The reference is right, even where you know better.

The answer is valid if it gives what the request asks for and agrees with the reference on it:
- Every fact that the request asks for is in the answer, and none contradicts the reference.
- Other words, another order, more politeness and further details that do not contradict the reference do not matter.
- Lists and tables are compared by their entries; their layout does not matter unless the request asks for one.
- Numbers agree if they are the same quantity in the same unit, rounded in a way that is usual for it. Units are never exchanged.
- An answer that refuses, asks back or only promises is invalid, unless the reference does the same.

${DATA_ONLY}

${section("request", question)}

${section("answer", answer)}

${section("reference", reference)}

Reply with this JSON and nothing else. First give your reasons, then the verdict, which is one of the words valid and invalid:
{
  "reasoning": "why",
  "is_the_agent_response_valid": "valid"
}`;
}
