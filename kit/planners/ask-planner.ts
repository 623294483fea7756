import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { copyDecisionEvent, decisionEventProblem } from "./check-decision-event.ts";
import { isJson } from "./is-json.ts";
import type { Planner } from "./planner.ts";
import type { Plan, PlannerAction } from "./planner-action.ts";
import type { PlanningContext } from "./planning-context.ts";

/**
 * Calls one method of a planner. An error of the platform is thrown as it is. Any other error, and an action that is not
 * valid (planners may be plain JavaScript), is thrown as `PLANNER_FAILED` with the names of agent and method.
 */
export async function askPlanner(
  planner: Planner,
  method: "firstAction" | "nextAction",
  context: PlanningContext,
): Promise<PlannerAction> {
  const action = await guarded(method, context, () => planner[method](context));
  const problem = problemOf(action, context);
  if (problem !== undefined) throw failure(method, context, `: ${problem}`);
  const { plan, event } = action;
  return {
    ...action,
    ...(plan !== undefined && { plan: copyOf(plan) }),
    ...(event !== undefined && { event: copyDecisionEvent(event) }),
  };
}

/** Calls `init`, with errors as in `askPlanner`. */
export async function initPlanner(planner: Planner, context: PlanningContext): Promise<void> {
  await guarded("init", context, () => planner.init?.(context));
}

async function guarded<Value>(
  method: keyof Planner,
  context: PlanningContext,
  call: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    context.invocationContext.signal.throwIfAborted();
    const logDetail = error instanceof Error ? error.message : String(error);
    throw failure(method, context, ".", { cause: error, logDetail });
  }
}

function failure(
  method: keyof Planner,
  { invocationContext }: PlanningContext,
  rest: string,
  options: { readonly cause?: unknown; readonly logDetail?: string } = {},
): PlatformError {
  const name = invocationContext.agent.name;
  return new PlatformError("PLANNER_FAILED", `The planner of agent "${name}" failed in ${method}${rest}`, options);
}

function problemOf(action: unknown, { availableAgents }: PlanningContext): string | undefined {
  const fix = 'return { kind: "RunAgents", agents: [ … ] }, or "Done", "DoneWithResult" or "NoOp".';
  if (!isJsonObject(action)) return `it returned ${action === null ? "null" : typeof action}: ${fix}`;
  const { kind, plan, event, agents, text } = action;
  if (plan !== undefined && !(isJsonObject(plan) && isJson(plan)))
    return "its plan is not a JSON object: keep only JSON in it.";
  const eventProblem = event === undefined ? undefined : decisionEventProblem(event);
  if (eventProblem !== undefined) return eventProblem;
  switch (kind) {
    case "Done":
    case "NoOp":
      return undefined;
    case "DoneWithResult":
      return typeof text === "string" ? undefined : "the text of DoneWithResult is missing: set `text`.";
    case "RunAgents":
      return agentsProblem(agents, availableAgents);
    default:
      return `it returned ${typeof kind === "string" ? `the kind "${kind}"` : `a kind of the type ${typeof kind}`}: ${fix}`;
  }
}

function agentsProblem(agents: unknown, available: readonly unknown[]): string | undefined {
  if (!Array.isArray(agents)) return "the agents of RunAgents are not a list: set `agents`.";
  if (!agents.every((agent) => available.includes(agent)))
    return "RunAgents names an agent that is not a sub-agent: use those of `availableAgents`.";
  if (new Set(agents).size < agents.length) return "RunAgents names an agent twice: name each once.";
  return undefined;
}

/** The planner may change its own object later. */
function copyOf(plan: Plan): Plan {
  return structuredClone(plan);
}
