import { PlatformError } from "#kit/errors/platform-error.ts";
import { fieldPath, issueText } from "#kit/schema/read-json.ts";
import type { Shape } from "#kit/schema/shape.ts";
import { readValue } from "#kit/schema/shape-reader.ts";
import type { PlanningContext } from "./planning-context.ts";

/**
 * The plan of this turn, checked by its shape: it may have been stored by another version of the app. Throws
 * `PLAN_INVALID`.
 */
export function readPlan<Value>({ plan, invocationContext }: PlanningContext, shape: Shape<Value>): Value {
  const result = readValue(shape, structuredClone(plan), { maxIssues: 1 });
  if (result.ok) return result.value;
  const [issue] = result.issues;
  const problem = issue === undefined ? "is wrong" : `${fieldPath(issue.path, "plan")} ${issueText(issue)}`;
  throw invalidPlan(invocationContext.agent.name, problem);
}

/** `problem`: a sentence without its full stop. */
export function invalidPlan(agentName: string, problem: string): PlatformError {
  const fix = "The agent was changed during the turn: send the message again.";
  return new PlatformError(
    "PLAN_INVALID",
    `The stored plan of agent "${agentName}" cannot be continued: ${problem}. ${fix}`,
  );
}
