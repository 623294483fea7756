import { setImmediate as nextTurn } from "node:timers/promises";
import { runInParallel } from "#kit/agents/run-in-parallel.ts";
import { waitsForAnswer } from "#kit/agents/turn-signals.ts";
import { BaseAgent, type BaseAgentOptions } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { modelContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { askPlanner, initPlanner } from "./ask-planner.ts";
import { readPastPlan, type StepMark } from "./past-plan.ts";
import type { Planner } from "./planner.ts";
import type { Plan, PlannerAction } from "./planner-action.ts";
import { isPlannerDescription, type PlannerDescription } from "./planner-description.ts";
import { TurnPlanning } from "./planning-context.ts";

/** Options of a `PlannerAgent`. */
export interface PlannerAgentOptions extends BaseAgentOptions {
  readonly planner: Planner;
  /** Actions of one turn, 100 by default: the planner is asked for no more, and the turn ends without an event. */
  readonly maxIterations?: number;
}

const DEFAULT_MAX_ITERATIONS = 100;

/**
 * Runs its sub-agents as its planner decides. Each step is stored with the events of its agents, with the members of
 * the plan that have changed: a run that is recovered, or resumed with an answer, continues its plan, and no agent
 * whose output is stored runs again. If an agent waits for an answer, the planner is not asked again before the answer
 * arrives.
 */
export class PlannerAgent extends BaseAgent {
  override readonly kind = "planner";
  override readonly catchesEscalation: boolean;
  readonly planner: Planner;
  readonly maxIterations: number;
  readonly #description: PlannerDescription;

  /**
   * Throws what `BaseAgent` throws, `INVALID_FIELD` for a wrong planner or `maxIterations`, and what the planner throws
   * for the sub-agents.
   */
  constructor(options: PlannerAgentOptions) {
    super(options);
    const { name, planner, maxIterations = DEFAULT_MAX_ITERATIONS } = options;
    this.planner = checkPlanner(name, planner);
    this.maxIterations = checkIterations(name, maxIterations);
    this.catchesEscalation = planner.catchesEscalation === true;
    planner.checkAgents?.(this.subAgents);
    // Called in the constructor, so that an error reaches the app's author and not the users of a listing.
    this.#description = checkDescription(name, planner.describe?.(this.subAgents));
  }

  /** How its planner orders its sub-agents, as far as that is known before a turn. */
  describePlanner(): PlannerDescription {
    return this.#description;
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    if (this.subAgents.length === 0) return;
    const pastPlan = readPastPlan(context);
    const planning = new TurnPlanning(context, this.subAgents, pastPlan?.plan);
    if (pastPlan === undefined) {
      await initPlanner(this.planner, planning);
      yield* this.#plan(planning, { method: "firstAction", iteration: 0 });
      return;
    }
    const { past, step, stepEvents } = pastPlan;
    if (step.isDone === true) return;
    planning.beginStep(stepEvents);
    if (yield* this.#runStep(planning, { ...step, context: context.forPart({ past }) })) return;
    yield* this.#plan(planning, { method: "nextAction", iteration: step.iteration });
  }

  protected override resumeAsyncImpl(context: InvocationContext): AsyncIterable<Event> {
    return this.runAsyncImpl(context);
  }

  async *#plan(planning: TurnPlanning, from: Position): AsyncGenerator<Event, void, undefined> {
    const context = planning.invocationContext.forPart({ past: undefined });
    const { signal, services } = context;
    let { method, iteration } = from;
    // Changes of the plan by steps without an event: the next event stores them too.
    let unstored: Plan = {};
    for (;;) {
      if (iteration >= this.maxIterations) {
        services.logger.info({ agent: this.name, maxIterations: iteration }, "the planner agent ends at its limit");
        return;
      }
      const action = await askPlanner(this.planner, method, planning);
      signal.throwIfAborted();
      iteration += 1;
      planning.change(action.plan ?? {});
      unstored = { ...unstored, ...action.plan };
      const mark: StepMark = { iteration, agents: namesOf(action), plan: unstored };
      planning.beginStep();
      if (action.kind === "Done" || action.kind === "DoneWithResult") {
        yield* this.#end(action, context, mark);
        return;
      }
      const { length } = context.session.events;
      if (action.event !== undefined) yield context.withAgentState(context.createEvent(action.event), mark);
      const step = { ...mark, context, isUnmarked: action.event === undefined };
      if (yield* this.#runStep(planning, step)) return;
      if (action.event !== undefined || planning.stepEvents.length > 0) unstored = {};
      // A step without events may have done no I/O. Yielding to the event loop lets other work of the process run.
      if (context.session.events.length === length) await nextTurn();
      method = "nextAction";
    }
  }

  /** Returns whether an agent of the step waits for an answer. */
  async *#runStep(planning: TurnPlanning, step: Step): AsyncGenerator<Event, boolean, undefined> {
    const { agents: names, context, isUnmarked = false, iteration, plan } = step;
    const agents = names.map((name) => planning.findAgent(name));
    const since = context.past === undefined ? context.session.events.length : 0;
    const [first] = agents;
    let hasMark = !isUnmarked;
    const events =
      agents.length === 1 && first !== undefined ? first.runAsync(context) : runInParallel(agents, context);
    for await (const event of events) {
      if (event.partial !== true) planning.stepEvents.push(event);
      if (hasMark || event.partial === true) yield event;
      else {
        hasMark = true;
        yield context.withAgentState(event, { iteration, agents: names, plan });
      }
    }
    return waitsForAnswer(context, since);
  }

  *#end(
    action: PlannerAction & { readonly kind: "Done" | "DoneWithResult" },
    context: InvocationContext,
    mark: StepMark,
  ): Generator<Event, void, undefined> {
    if (action.kind === "Done" && action.event === undefined) return;
    const content = action.kind === "DoneWithResult" ? { content: modelContent(action.text) } : undefined;
    yield context.withAgentState(context.createEvent({ ...action.event, ...content }), { ...mark, isDone: true });
  }
}

interface Position {
  readonly method: "firstAction" | "nextAction";
  /** Actions of the turn until now. */
  readonly iteration: number;
}

interface Step extends StepMark {
  /** The context of the step; with the step's past if it is resumed. */
  readonly context: InvocationContext;
  /** The step's first event gets the mark. */
  readonly isUnmarked?: boolean;
}

function namesOf(action: PlannerAction): readonly string[] {
  return action.kind === "RunAgents" ? action.agents.map(({ name }) => name) : [];
}

function checkPlanner(agentName: string, planner: unknown): Planner {
  const has = (name: string): boolean =>
    typeof planner === "object" && planner !== null && typeof Reflect.get(planner, name) === "function";
  // The methods exist. The types of their results are checked for each action.
  if (has("firstAction") && has("nextAction")) return planner as Planner;
  throw invalid(
    agentName,
    "planner",
    "planner is missing or is not a planner: give a planner, such as new SequentialPlanner().",
  );
}

function checkDescription(agentName: string, description: unknown): PlannerDescription {
  if (description === undefined) return { name: "Planner", links: [] };
  if (isPlannerDescription(description)) return description;
  throw invalid(agentName, "planner", "describe() of the planner must return { name, links: [{ from, to }] }.");
}

function checkIterations(agentName: string, maxIterations: number): number {
  if (Number.isSafeInteger(maxIterations) && maxIterations >= 1) return maxIterations;
  throw invalid(agentName, "maxIterations", `maxIterations is ${maxIterations}: give a whole number from 1.`);
}

function invalid(agentName: string, field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `Agent "${agentName}": ${problem}`, { details: { field } });
}
