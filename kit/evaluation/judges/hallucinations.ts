import type { AppDetails, Invocation, InvocationEvent } from "../eval-set.ts";
import { type Metric, type MetricInput, scoredMetric } from "../metrics/metric.ts";
import { mean } from "../metrics/scores.ts";
import { answerOf, linesOf, textParts } from "../metrics/turn-parts.ts";
import { instructionsText, toolsText } from "./agent-facts.ts";
import { Judge } from "./ask-judge.ts";
import { judgeCriterion } from "./judge-criterion.ts";
import { type JudgedTurn, overallScore, turnScore } from "./judged-turns.ts";
import { readSentenceScores, readSentences } from "./parsing/sentence-labels.ts";
import { DATA_ONLY, promptJson, section } from "./prompt.ts";

/**
 * Asks which sentences of answers the context supports: the instructions, the request, tools and their responses. The
 * judge splits an answer into sentences, then labels them; each is asked once.
 */
export const HALLUCINATIONS: Metric = scoredMetric(
  "hallucinations_v1",
  "Share of the answers' sentences that instructions, request and tool responses support, as a judge model finds.",
  async (input: MetricInput) => {
    const criterion = judgeCriterion(input.metric);
    const { threshold } = criterion;
    const judge = new Judge(input, criterion.judge);
    const turns = await Promise.all(
      input.actual.map(async (invocation, index) => {
        const steps = stepsOf(invocation, criterion.evaluateIntermediateNlResponses ?? false);
        const judged = await Promise.all(steps.map((step, number) => judgeStep(judge, { ...step, index, number })));
        return combineSteps(judged);
      }),
    );
    return {
      overall: overallScore(mean(turns.flatMap(({ score }) => score ?? [])), { threshold, turns }),
      perInvocation: turns.map((turn) => turnScore(turn, threshold)),
    };
  },
);

/** A text of an agent, and all that it could know when it wrote it. */
interface Step {
  readonly text: string;
  readonly context: string;
}

function stepsOf(invocation: Invocation, withIntermediate: boolean): readonly Step[] {
  const events = invocation.intermediateData?.invocationEvents ?? [];
  const intermediate = events.flatMap(({ content }, index) => {
    const context = contextOf(invocation, events.slice(0, index));
    return textParts(content?.parts).map((text) => ({ text, context }));
  });
  const answer = answerOf(invocation);
  const last = answer === "" ? [] : [{ text: answer, context: contextOf(invocation, events) }];
  return withIntermediate ? [...intermediate, ...last] : last;
}

async function judgeStep(
  judge: Judge,
  step: Step & { readonly index: number; readonly number: number },
): Promise<JudgedTurn> {
  const { text, context, index: invocation, number } = step;
  const split = await judge.ask({ invocation, step: `${number}-sentences`, prompt: splitPrompt(text) });
  if (split.kind === "failed") return without(`The judge failed: ${split.why}`);
  const sentences = readSentences(split.text);
  if (sentences.length === 0) return without("The judge's list of sentences could not be read.");
  const labelled = await judge.ask({ invocation, step: `${number}-labels`, prompt: labelPrompt(context, sentences) });
  if (labelled.kind === "failed") return without(`The judge failed: ${labelled.why}`);
  const score = mean(readSentenceScores(labelled.text));
  return score === undefined ? without("The judge's labels could not be read.") : { score, remarks: [] };
}

function without(remark: string): JudgedTurn {
  return { score: undefined, remarks: [remark] };
}

function combineSteps(steps: readonly JudgedTurn[]): JudgedTurn {
  if (steps.length === 0) return without("The turn has no answer to judge.");
  return { score: mean(steps.flatMap(({ score }) => score ?? [])), remarks: steps.flatMap(({ remarks }) => remarks) };
}

function contextOf({ appDetails, userContent }: Invocation, events: readonly InvocationEvent[]): string {
  const facts: AppDetails | undefined = appDetails;
  const grounding = events.flatMap(({ groundingMetadata }) => groundingMetadata ?? []);
  return [
    section("instructions", instructionsText(facts)),
    section("request", linesOf(userContent)),
    section("tools", toolsText(facts)),
    section("sources", grounding.length === 0 ? "None." : promptJson(grounding)),
    ...events.flatMap(eventText),
  ].join("\n\n");
}

function eventText({ content }: InvocationEvent): readonly string[] {
  const parts = content?.parts ?? [];
  const texts = textParts(parts);
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
  const responses = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
  return [
    ...(texts.length === 0 ? [] : [section("earlier_answer", texts.join("\n"))]),
    ...(calls.length === 0 ? [] : [section("tool_calls", promptJson(calls))]),
    ...(responses.length === 0 ? [] : [section("tool_responses", promptJson(responses))]),
  ];
}

function splitPrompt(text: string): string {
  return `Split the text into sentences. Copy each sentence word for word between <sentence> and </sentence>, in their order, and leave nothing out. A heading, an entry of a list and a row of a table count as sentences. Reply with the sentences and nothing else.

${DATA_ONLY}

${section("text", text)}`;
}

function labelPrompt(context: string, sentences: readonly string[]): string {
  return `You check sentences of an agent's answer against the context in which it was written. Give each sentence one label:
- supported: the context contains it, or it follows from the context.
- unsupported: it states a fact that the context neither contains nor contradicts.
- contradictory: the context contradicts it.
- disputed: the context both supports and contradicts it.
- not_applicable: it states no fact that could be checked, such as a greeting, a question, an opinion or an offer.

Use nothing but the context, not even common knowledge about the world that a sentence relies on.

${DATA_ONLY}

${section("context", context)}

${section("sentences", sentences.map((sentence) => `<sentence>${sentence}</sentence>`).join("\n"))}

Reply in plain text, with exactly these five lines for each sentence in their order:
sentence: the sentence
label: one of the labels
rationale: in one line, why
supporting_excerpt: what of the context supports it, or null
contradicting_excerpt: what of the context contradicts it, or null`;
}
