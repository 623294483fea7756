import { PlatformError } from "#kit/errors/platform-error.ts";
import { MetricRegistry } from "#kit/evaluation/engine/metric-registry.ts";
import { askModel, createModelJudge } from "#kit/evaluation/judges/model-judge.ts";
import type { AskJudge } from "#kit/evaluation/metrics/judge.ts";
import type { AskSimulator } from "#kit/evaluation/simulation/model-user.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";

export interface AskedModels {
  readonly judge: AskJudge;
  readonly user: AskSimulator;
}

/** The models that may judge and simulate users on this server. Other models are refused. */
export class JudgeModels {
  readonly registry: MetricRegistry;
  readonly #hasAny: boolean;
  readonly #resolve: (name: string) => BaseLlm;

  constructor(names: readonly string[], resolve: (name: string) => BaseLlm) {
    this.#hasAny = names.length > 0;
    this.registry = new MetricRegistry({ withoutJudge: !this.#hasAny });
    this.#resolve = (name) => {
      if (names.includes(name)) return resolve(name);
      throw new PlatformError(
        "MODEL_NOT_FOUND",
        `${name} may not judge on this server: name a model of EVAL_JUDGE_MODELS, or add it there.`,
        {
          details: { model: name },
        },
      );
    };
  }

  /**
   * The functions that ask judges and simulated users; undefined without models. `change` wraps each model before it is
   * asked.
   */
  asked(change: (model: BaseLlm) => BaseLlm): AskedModels | undefined {
    if (!this.#hasAny) return undefined;
    const resolve = (name: string): BaseLlm => change(this.#resolve(name));
    return { judge: createModelJudge(resolve), user: (call, signal) => askModel(resolve, call, signal) };
  }
}
