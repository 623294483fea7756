import { type EvalCase, TEST_USER } from "#kit/evaluation/eval-set.ts";
import type { EvalJobPlan } from "./eval-job.ts";

/** The user as whom a case of a job runs. */
export function userOfCase({ userId }: Pick<EvalJobPlan, "userId">, { sessionInput }: EvalCase): string {
  return userId ?? sessionInput?.userId ?? TEST_USER;
}

/** That user, and the one that the case names. */
export function usersOfCase(plan: Pick<EvalJobPlan, "userId">, evalCase: EvalCase): readonly string[] {
  const { sessionInput } = evalCase;
  return [userOfCase(plan, evalCase), ...(sessionInput === undefined ? [] : [sessionInput.userId])];
}
