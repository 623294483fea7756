import { PlatformError } from "#kit/errors/platform-error.ts";
import type { MetricRegistry } from "#kit/evaluation/engine/metric-registry.ts";
import type { EvalMetric } from "#kit/evaluation/eval-result.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import type { UserSimulatorConfig } from "#kit/evaluation/formats/eval-config.ts";
import { judgeCriterion } from "#kit/evaluation/judges/judge-criterion.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { invalidField } from "#kit/schema/read-json.ts";
import { assertStateDelta } from "#ports/sessions/session-limits.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import { EVERY_USER_SCOPE } from "#shared/security/principal.ts";
import { sessionLimitsOf } from "#shared/stores/session-limits.ts";
import type { GatewayDeps } from "../deps.ts";
import type { Scope } from "../identity/scopes.ts";
import { checkClientState } from "../requests/state-keys.ts";
import { refuseAppState } from "../sessions/app-state.ts";

/** Throws what keeps the case from being run at all: `USER_NOT_ALLOWED`, and the errors of state that clients may not write. */
export function assertMayRun({ config }: Pick<GatewayDeps, "config">, { sessionInput }: EvalCase): void {
  const principal = currentCallScope()?.principal;
  if (principal !== undefined && principal.userId === undefined && !principal.scopes.includes(EVERY_USER_SCOPE))
    throw new PlatformError("USER_NOT_ALLOWED", "The caller's credentials name no user for whom cases could be run.");
  checkClientState(sessionInput?.state);
  refuseAppState(config, sessionInput?.state);
  assertStateDelta(sessionInput?.state ?? {}, sessionLimitsOf(config));
}

/** The only user that the caller reaches; undefined if it reaches all. */
export function onlyUserOfCaller(): string | undefined {
  const principal = currentCallScope()?.principal;
  return principal?.scopes.includes(EVERY_USER_SCOPE) === true ? undefined : principal?.userId;
}

/** Throws `SCOPE_MISSING`: an evaluation needs the scope of runs beside the scope of its route. */
export function assertMayStartRuns(scopes: ReadonlySet<Scope>): void {
  const scope = "runs:write";
  if (scopes.has(scope)) return;
  throw new PlatformError("SCOPE_MISSING", `The caller lacks the scope ${scope}: an evaluation starts runs.`, {
    details: { scope },
  });
}

/**
 * The metric with the judge that it is to ask: the one that it names, or the server's first. Throws `INVALID_FIELD` for
 * a model that may not judge here, and for a criterion that is not an object.
 */
export function withJudgeModel(
  metric: EvalMetric,
  { registry, judgeModels }: { readonly registry: MetricRegistry; readonly judgeModels: readonly string[] },
): EvalMetric {
  const [first] = judgeModels;
  if (first === undefined || !registry.asksJudge(metric.metricName)) return metric;
  const { criterion = metric.threshold === undefined ? {} : { threshold: metric.threshold } } = metric;
  const { judgeModelOptions, judge_model_options: older, ...rest } = criterion;
  const given = judgeModelOptions ?? older ?? {};
  const field = `evalMetrics.${metric.metricName}.criterion.judgeModelOptions`;
  if (!isJsonObject(given)) throw invalidField(field, "must be an object");
  const { judgeModel, judge_model: olderModel, ...options } = given;
  const model = judgeModel ?? olderModel ?? first;
  if (typeof model !== "string" || !judgeModels.includes(model))
    throw invalidField(`${field}.judgeModel`, `must be a judge of this server: ${judgeModels.join(", ")}`);
  const asked = { ...metric, criterion: { ...rest, judgeModelOptions: { ...options, judgeModel: model } } };
  judgeCriterion(asked);
  return asked;
}

/** The config with the model that plays users: the one that it names, or the server's first. Throws `INVALID_FIELD`. */
export function withUserModel(
  config: UserSimulatorConfig | undefined,
  judgeModels: readonly string[],
): UserSimulatorConfig | undefined {
  const [first] = judgeModels;
  if (first === undefined) return config;
  const model = config?.model ?? first;
  if (!judgeModels.includes(model))
    throw invalidField("userSimulatorConfig.model", `must be a judge of this server: ${judgeModels.join(", ")}`);
  return { ...config, model };
}

/** The metrics of a server whose models may judge. They are loaded with the first request that needs them. */
export async function metricsOfServer(judgeModels: readonly string[]): Promise<MetricRegistry> {
  const { MetricRegistry: Registry } = await import("#kit/evaluation/engine/metric-registry.ts");
  return new Registry({ withoutJudge: judgeModels.length === 0 });
}
