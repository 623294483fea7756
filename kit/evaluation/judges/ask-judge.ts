import { ConcurrencyLimit } from "#kit/core/executor.ts";
import { failureText } from "../metrics/failure-text.ts";
import type { MetricInput } from "../metrics/metric.ts";
import type { JudgeOptions } from "./judge-criterion.ts";

/** One question, which is asked as often as there are samples. */
export interface Question {
  readonly invocation: number;
  readonly step: string;
  readonly prompt: string;
}

/** The answer of a judge, or why there is none. */
export type JudgeAnswer =
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "failed"; readonly why: string };

/** Asks the questions of one metric, no more at a time than its options allow. */
export class Judge {
  readonly #input: MetricInput;
  readonly #options: JudgeOptions;
  readonly #limit: ConcurrencyLimit;

  constructor(input: MetricInput, options: JudgeOptions) {
    this.#input = input;
    this.#options = options;
    this.#limit = new ConcurrencyLimit(options.parallel);
  }

  /** An answer for each sample, in their order. */
  askSamples(question: Question): Promise<readonly JudgeAnswer[]> {
    return Promise.all(Array.from({ length: this.#options.samples }, (_, sample) => this.ask(question, sample)));
  }

  /** Asks for one sample. Throws only if the evaluation is aborted. */
  ask({ invocation, step, prompt }: Question, sample = 0): Promise<JudgeAnswer> {
    const { evalId, metric, ask, signal } = this.#input;
    const key = { evalId, metricName: metric.metricName, invocation, step, sample };
    return this.#limit.execute(async () => {
      try {
        signal.throwIfAborted();
        const { model, config } = this.#options;
        return { kind: "answer", text: await ask({ key, model, config, prompt }, signal) };
      } catch (error) {
        signal.throwIfAborted();
        return { kind: "failed", why: failureText(error) };
      }
    });
  }
}
