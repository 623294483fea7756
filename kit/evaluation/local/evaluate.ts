import type { App } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { EvalSetResult } from "../eval-result.ts";
import type { EvalSet } from "../eval-set.ts";
import { DEFAULT_EVAL_CONFIG, type EvalConfig } from "../formats/eval-config.ts";
import type { EvaluateOptions } from "./evaluate-set.ts";

/**
 * Runs an agent on the cases of a set in this process, and evaluates what it did. The result has the cases in the order
 * of the set. A case whose run fails is FAILED, with the reason in its result. Throws `INVALID_FIELD` for a set without
 * cases and for a wrong config. Does not close the agent.
 */
export async function evaluate(
  agent: App | BaseAgent,
  evalSet: EvalSet,
  config: EvalConfig = DEFAULT_EVAL_CONFIG,
  options: EvaluateOptions = {},
): Promise<EvalSetResult> {
  // Loaded here, because every agent loads the kit and few programs evaluate.
  const { evaluateSet } = await import("./evaluate-set.ts");
  return evaluateSet(agent, evalSet, config, options);
}
