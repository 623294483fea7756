import type { ConversationScenario, Invocation } from "../eval-set.ts";
import { type Metric, type MetricInput, scoredMetric } from "../metrics/metric.ts";
import { cannotEvaluate, mean } from "../metrics/scores.ts";
import { linesOf } from "../metrics/turn-parts.ts";
import { Judge } from "./ask-judge.ts";
import { dialogueText } from "./conversation-text.ts";
import { judgeCriterion } from "./judge-criterion.ts";
import { type JudgedTurn, overallScore, turnScore } from "./judged-turns.ts";
import { readMessageValidity } from "./parsing/validity-label.ts";
import { DATA_ONLY, promptJson, section } from "./prompt.ts";
import { majority } from "./verdicts.ts";

/** The sign by which a simulated user ends the conversation. */
export const STOP_SIGNAL = "</finished>";

/**
 * Asks whether a simulated user kept to its scenario: began with its starting prompt, followed its plan, and ended the
 * conversation when it should. A wrong end fails the last turn.
 */
export const USER_SIMULATOR_QUALITY: Metric = scoredMetric(
  "per_turn_user_simulator_quality_v1",
  "Share of the simulated user's messages that follow the scenario, as a judge model finds.",
  async (input: MetricInput) => {
    const { threshold, judge: options, stopSignal = STOP_SIGNAL } = judgeCriterion(input.metric);
    const { scenario, actual } = input;
    if (scenario === undefined) throw cannotEvaluate(input.metric, "is for cases with a conversationScenario");
    const judge = new Judge(input, options);
    const judgeMessage = async (message: string, { invocation, step }: { invocation: number; step: string }) => {
      const prompt = promptFor({ scenario, history: actual.slice(0, invocation), message, stopSignal });
      return majority(await judge.askSamples({ invocation, step, prompt }), readMessageValidity);
    };
    const [first, ...later] = actual;
    const turns = await Promise.all([
      ...(first === undefined ? [] : [firstTurn(first, scenario)]),
      ...later.map((turn, index) => judgeMessage(linesOf(turn.userContent), { invocation: index + 1, step: "answer" })),
    ]);
    const end = await judgeMessage(stopSignal, { invocation: actual.length, step: "end" });
    const judged: readonly JudgedTurn[] = end.score === 0 && threshold > 0 ? [...turns.slice(0, -1), WRONG_END] : turns;
    // A turn without a verdict counts as one that does not follow the scenario.
    const score = mean(judged.map((turn) => (turn.score !== undefined && turn.score >= threshold ? turn.score : 0)));
    const withEnd = [...judged, ...(end.remarks.length === 0 ? [] : [end])];
    return {
      overall: overallScore(score, { threshold, turns: withEnd }),
      perInvocation: judged.map((turn) => turnScore(turn, threshold)),
    };
  },
);

const WRONG_END: JudgedTurn = {
  score: 0,
  remarks: ["The conversation should not have ended after this turn."],
};

function firstTurn({ userContent }: Invocation, { startingPrompt }: ConversationScenario): JudgedTurn {
  const isRight = linesOf(userContent).trim() === startingPrompt.trim();
  return isRight ? { score: 1, remarks: [] } : { score: 0, remarks: ["The message is not the starting prompt."] };
}

interface Message {
  readonly scenario: ConversationScenario;
  readonly history: readonly Invocation[];
  readonly message: string;
  readonly stopSignal: string;
}

function promptFor({ scenario, history, message, stopSignal }: Message): string {
  const persona = scenario.userPersona === undefined ? [] : [section("persona", promptJson(scenario.userPersona)), ""];
  return `A program plays the user of an agent, by a plan. You judge whether its next message is valid:
- It does the next thing of the plan, answers what the agent asked, or corrects what the agent got wrong; it skips nothing of the plan.
- It uses nothing that the plan and the conversation do not contain, and speaks as the user and never as the agent.
- It repeats nothing that is done, and does not end the conversation before all of the plan is done.
- The message ${stopSignal} ends the conversation: it is valid only when all of the plan is done, or cannot be done.

${DATA_ONLY}

${section("plan", scenario.conversationPlan)}

${persona.join("\n")}${section("conversation", dialogueText(history))}

${section("message", message)}

Reply with this JSON and nothing else. First give your reasons, then the verdict, which is true or false:
{
  "reasoning": "why",
  "is_valid": true
}`;
}
