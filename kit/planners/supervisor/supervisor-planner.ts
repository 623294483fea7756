import type { ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Content, modelContent, textOf } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { callModel } from "#kit/llm-agent/model-call/call-model.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { GenerateContentConfig } from "#kit/models/llm-request.ts";
import type { Planner } from "#kit/planners/planner.ts";
import type { DecisionEvent, PlannerAction } from "#kit/planners/planner-action.ts";
import type { PlannerDescription } from "#kit/planners/planner-description.ts";
import type { PlanningContext } from "#kit/planners/planning-context.ts";
import { readPlan } from "#kit/planners/read-plan.ts";
import { checkOptions, integer, type OptionRules, object, required, text } from "#kit/schema/check-options.ts";
import { readDecision } from "./read-decision.ts";
import { MAX_DECISIONS, SupervisorPlan, supervisorRequest } from "./supervisor-request.ts";

/** Options of a `SupervisorPlanner`. */
export interface SupervisorPlannerOptions {
  /** The model that decides, or a name that the model registry resolves. */
  readonly model: BaseLlm | string;
  /** Follows the planner's own instruction, which describes the answer's form. */
  readonly systemInstruction?: string;
  /** How many of the newest events the model reads; 20 by default. */
  readonly maxEvents?: number;
  /** How often the model is asked for one decision until its answer is valid; 3 by default. */
  readonly maxAnswers?: number;
  readonly generateContentConfig?: GenerateContentConfig;
}

const RULES: OptionRules<SupervisorPlannerOptions> = {
  model: required({ must: "a model, or the name of one", accepts: isModel }),
  systemInstruction: text,
  maxEvents: integer(0),
  maxAnswers: integer(1),
  generateContentConfig: object,
};

const DEFAULT_MAX_EVENTS = 20;
const DEFAULT_MAX_ANSWERS = 3;

/**
 * A model decides after each step which sub-agents run next, or that the turn is done. It reads the agents'
 * descriptions, the state's keys, the newest events and its own earlier decisions, and answers by a schema that has the
 * agents' names. Each answer is a stored event, with its costs and what plugins changed: a recovered run does not ask
 * again. An answer that is not valid is asked for again, `maxAnswers` times in all; then, and if the model itself fails,
 * the run fails.
 */
export class SupervisorPlanner implements Planner {
  readonly maxEvents: number;
  readonly maxAnswers: number;
  readonly #systemInstruction: string | undefined;
  /** Holds the settings of the model call. It is never run as an agent. */
  readonly #supervisor: LlmAgent;

  /** Throws `INVALID_FIELD` for wrong options. */
  constructor(options: SupervisorPlannerOptions) {
    checkOptions("new SupervisorPlanner", options, RULES);
    const { model, generateContentConfig = {}, maxEvents, maxAnswers } = options;
    this.maxEvents = maxEvents ?? DEFAULT_MAX_EVENTS;
    this.maxAnswers = maxAnswers ?? DEFAULT_MAX_ANSWERS;
    this.#systemInstruction = options.systemInstruction;
    this.#supervisor = new LlmAgent({ name: "supervisor", model, generateContentConfig });
  }

  describe(): PlannerDescription {
    return { name: "SupervisorPlanner", links: [] };
  }

  firstAction(context: PlanningContext): Promise<PlannerAction> {
    return this.#decide(context, { decided: 0, decisions: [], rejected: [] });
  }

  nextAction(context: PlanningContext): Promise<PlannerAction> {
    return this.#decide(context, readPlan(context, SupervisorPlan));
  }

  async #decide(context: PlanningContext, plan: SupervisorPlan): Promise<PlannerAction> {
    // Checked here, so that the last answer is stored before the run fails.
    if (plan.rejected.length >= this.maxAnswers) throw noValidDecision(context, plan);
    const request = supervisorRequest(context, plan, {
      supervisor: this.#supervisor,
      systemInstruction: this.#systemInstruction,
      maxEvents: this.maxEvents,
    });
    const answer = await askModel(this.#supervisor, context.invocationContext, request);
    const decision = readDecision(answer, context.availableAgents);
    if (decision.kind === "invalid") return reject(plan, answer, decision.problem);
    if (decision.kind === "done") {
      const event = eventOf(answer, "Done");
      if (decision.result === undefined) return { kind: "Done", event };
      return { kind: "DoneWithResult", text: decision.result, event };
    }
    const names = decision.agents.map(({ name }) => name).join(", ");
    const decided = `Run: ${names}`;
    return {
      kind: "RunAgents",
      agents: decision.agents,
      plan: {
        decided: plan.decided + 1,
        decisions: [...plan.decisions, decided].slice(-MAX_DECISIONS),
        rejected: [],
      },
      event: eventOf(answer, decided),
    };
  }
}

function reject(plan: SupervisorPlan, answer: Event, problem: string): PlannerAction {
  const rejected = [...plan.rejected, { answer: shorten(textOf(answer.content)), problem }];
  return { kind: "NoOp", plan: { ...plan, rejected }, event: eventOf(answer, `Not valid: ${problem}`) };
}

function noValidDecision({ invocationContext }: PlanningContext, { rejected }: SupervisorPlan): PlatformError {
  const { name } = invocationContext.agent;
  const last = rejected.at(-1)?.problem ?? "";
  return new PlatformError(
    "PLANNER_FAILED",
    `The supervisor of agent "${name}" gave no valid decision in ${rejected.length} answers. The last one: ${last}`,
  );
}

/** Enough for the model to recognise its answer. */
const MAX_ANSWER_CHARACTERS = 1000;

function shorten(answer: string): string {
  return answer.length <= MAX_ANSWER_CHARACTERS ? answer : `${answer.slice(0, MAX_ANSWER_CHARACTERS)} […]`;
}

/** An event with the costs of the answer, and the changes by plugins. Its text is a thought: agents do not read it. */
function eventOf({ actions, usageMetadata, modelVersion }: Event, thought: string): DecisionEvent {
  return {
    content: thoughtContent(thought),
    actions,
    usageMetadata,
    modelVersion,
  };
}

function thoughtContent(thought: string): Content {
  return { ...modelContent(thought), parts: [{ text: thought, thought: true }] };
}

function isModel(model: unknown): boolean {
  if (typeof model === "string") return model.trim() !== "";
  return (
    typeof model === "object" && model !== null && typeof Reflect.get(model, "generateContentAsync") === "function"
  );
}

/**
 * Calls the model once, as for an agent: with the plugins' callbacks, the limits of the run and a span. Returns the
 * complete answer, which is not stored. Throws the model's failure.
 */
export async function askModel(
  agent: BaseLlmAgent,
  context: InvocationContext,
  request: ToolLlmRequest,
): Promise<Event> {
  await context.recorded();
  context.signal.throwIfAborted();
  const call = callModel({ agent, context, request, turn: { isFixRequested: false } });
  for (;;) {
    const next = await call.next();
    if (next.done === true) return next.value;
  }
}
