import type { AskJudge, JudgeCallKey } from "#kit/evaluation/metrics/judge.ts";
import type { AskSimulator } from "#kit/evaluation/simulation/model-user.ts";
import type { EvalJobLease } from "#ports/evaluation-jobs/eval-job.ts";
import type { EvalJobStore } from "#ports/evaluation-jobs/eval-job-store.ts";

export interface JudgeAnswerCacheOptions {
  readonly store: Pick<EvalJobStore, "getAnswer" | "recordAnswer">;
  readonly lease: EvalJobLease;
  /** Throws `LEASE_LOST` if another worker may have the job and ask the same questions. */
  readonly assertUsable: () => void;
  /** Calls the store, and repeats the call while the store is unavailable. */
  readonly untilAvailable: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /**
   * Ends calls of models. It is not aborted when the job is handed over, because the handover waits for their answers.
   */
  readonly signal: AbortSignal;
  /** Called with a failure of the store, after which no score may be computed. */
  readonly onLost: (error: unknown) => void;
}

/**
 * The answers of the models of a job. An answer is stored before it is used, and a model is not called if its answer is
 * stored. A model answers the same call twice only if its first answer could not be stored.
 */
export class JudgeAnswerCache {
  readonly #options: JudgeAnswerCacheOptions;
  readonly #asking = new Set<Promise<string>>();

  constructor(options: JudgeAnswerCacheOptions) {
    this.#options = options;
  }

  judge(ask: AskJudge): AskJudge {
    return (call) => this.#answer(call.key, (signal) => ask(call, signal));
  }

  /**
   * The messages of a simulated user. `name` is the conversation's, because each conversation of a case has its own
   * messages.
   */
  user(ask: AskSimulator, { evalId, name }: { readonly evalId: string; readonly name: string }): AskSimulator {
    return (call) => {
      const key = { evalId, metricName: `user ${name}`, invocation: call.turn, step: "message", sample: 0 };
      return this.#answer(key, (signal) => ask(call, signal));
    };
  }

  /** Resolves when no question is being asked. */
  async settled(): Promise<void> {
    while (this.#asking.size > 0) await Promise.allSettled([...this.#asking]);
  }

  #answer(key: JudgeCallKey, ask: (signal: AbortSignal) => Promise<string>): Promise<string> {
    const answer = this.#ask(key, ask);
    this.#asking.add(answer);
    const done = (): void => void this.#asking.delete(answer);
    answer.then(done, done);
    return answer;
  }

  async #ask(key: JudgeCallKey, ask: (signal: AbortSignal) => Promise<string>): Promise<string> {
    const { store, lease, assertUsable, untilAvailable, signal, onLost } = this.#options;
    const kept = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      try {
        return await untilAvailable(work);
      } catch (error) {
        onLost(error);
        throw error;
      }
    };
    const known = await kept(async () => {
      const answer = await store.getAnswer(lease, key);
      if (answer === undefined) assertUsable();
      return answer;
    });
    if (known !== undefined) return known;
    const answer = await ask(signal);
    return kept(() => store.recordAnswer(lease, key, answer));
  }
}
