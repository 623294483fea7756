import { evaluateCase } from "#kit/evaluation/engine/evaluate-case.ts";
import { MetricRegistry } from "#kit/evaluation/engine/metric-registry.ts";
import { CASES, evalSet, METRICS } from "./eval-set.ts";

const WARM_UP_ROUNDS = 2;

/** The same answer as that of the model `bench/judge` of the measured server. */
const VALID = '{"reasoning": "ok", "is_the_agent_response_valid": "valid"}';

/**
 * CPU time of scoring one case in this process, in microseconds: metrics, prompts, and a judge that answers
 * immediately.
 */
export async function engineMicros(): Promise<number> {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await scoreAll();
  const before = process.cpuUsage();
  await scoreAll();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CASES;
}

async function scoreAll(): Promise<void> {
  const registry = new MetricRegistry();
  const { signal } = new AbortController();
  for (const evalCase of evalSet().evalCases) {
    const actualInvocations = evalCase.conversation ?? [];
    const judges = async (): Promise<string> => VALID;
    await evaluateCase({ evalCase, actualInvocations, metrics: METRICS, registry, judges, signal });
  }
}
