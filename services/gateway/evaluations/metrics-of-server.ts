import type { MetricRegistry } from "#kit/evaluation/engine/metric-registry.ts";

/** The metrics of a server whose models may judge. They are loaded with the first request that needs them. */
export async function metricsOfServer(judgeModels: readonly string[]): Promise<MetricRegistry> {
  const { MetricRegistry: Registry } = await import("#kit/evaluation/engine/metric-registry.ts");
  return new Registry({ withoutJudge: judgeModels.length === 0 });
}
