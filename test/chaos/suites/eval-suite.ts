import { expect } from "vitest";
import { checkFrames, checkResults, type EndedEvaluation } from "#test/chaos/checks/check-evaluation.ts";
import { openEvalJobs, storedAnswers } from "#test/chaos/checks/eval-answers.ts";
import { openStore, readSession } from "#test/chaos/checks/open-store.ts";
import type { Episode } from "#test/chaos/episode.ts";
import { EvalClient, type EvalFrame, type WireCase, type WireJob } from "#test/chaos/eval-client.ts";
import { caseMark } from "#test/chaos/rig/judge-server.ts";
import { killPostgres } from "#test/chaos/rig/postgres-faults.ts";
import { type ChaosStore, EVAL_LEASE_MS, isDatabase } from "#test/chaos/rig/rig-options.ts";
import { eventually, pauseFor } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";

const METRIC = "final_response_match_v2";
const SAMPLES = 3;
/** Questions of one case at the same time. */
const PARALLEL_QUESTIONS = 2;
/** The default of EVAL_PARALLEL_CASES. */
const PARALLEL_CASES = 4;
/** Leases that a busy machine may lose without a fault. */
const MOST_UNPLANNED = 1;
/** What a frozen process has sent arrives within this time. */
const ARRIVAL_MS = 300;
/** How long it takes on a busy machine until another worker continues. */
const CONTINUED_MS = 90_000;
const APP = "chaos";

export interface EvalSuiteOptions {
  readonly store: ChaosStore;
  readonly cases: number;
  readonly rounds: number;
}

/** F25 to F28: evaluations whose processes are lost. */
export function evalSuite(test: FaultTest, { store, cases, rounds }: EvalSuiteOptions): void {
  for (let round = 1; round <= rounds; round += 1) {
    test(`F25-${round} evaluation services, a runner, a gateway and Redis are killed during an evaluation: each case has one result, and no stored answer of the judge is asked for again`, async (episode) => {
      const { rig } = episode;
      const random = episode.random.fork(String(round));
      const evaluation = await Evaluation.start(episode, `f25-${round}-${random.seed}`, cases);
      const faults = [
        () => evaluation.killWorkers(),
        async () => {
          const runner = random.between(0, 1);
          await rig.kill("runner", runner);
          await rig.restart("runner", runner);
        },
        async () => {
          const gateway = random.between(0, 1);
          await rig.kill("gateway", gateway);
          await rig.restart("gateway", gateway);
        },
        () => rig.restartRedis(random.between(0, 1000)),
        ...(store === "postgres" ? [() => killPostgres(rig, random.between(0, 1000))] : []),
        () => evaluation.killWorkers(),
      ];
      const moments = faults.map(() => random.between(1, Math.floor(cases * 0.9))).sort((a, b) => a - b);
      for (const [index, moment] of moments.entries()) {
        await evaluation.untilDone(moment);
        await faults[index]?.();
      }
      expect(await evaluation.end()).toEqual([]);
    });
  }

  test("F26 an evaluation that is cancelled while its services are lost stays cancelled, and asks nothing more", async (episode) => {
    const evaluation = await Evaluation.start(episode, "f26", cases);
    await evaluation.untilDone(Math.ceil(cases / 10));
    // The request comes while the lease of the lost worker still holds.
    await Promise.all([evaluation.killWorkers(), evaluation.client.call(`/v1/evals/${evaluation.jobId}/cancel`, {})]);
    const ended = await evaluation.followed;
    expect(ended.status).toBe("cancelled");
    const asked = episode.rig.judge.questions();
    for (const [index] of episode.rig.replicas("eval").entries()) {
      await episode.rig.kill("eval", index);
      await episode.rig.restart("eval", index);
    }
    await pauseFor(2 * EVAL_LEASE_MS);
    expect(episode.rig.judge.questions()).toEqual(asked);
    expect(await evaluation.client.read(evaluation.jobId)).toEqual(ended);
    expect(await evaluation.openRuns()).toEqual([]);
  });

  test("F28 an evaluation that lasts longer than its lease keeps its worker", async (episode) => {
    // Each case takes two rounds of questions, and four cases run at a time.
    const evaluation = await Evaluation.start(episode, "f28", 16, EVAL_LEASE_MS / 3);
    expect(await evaluation.end()).toEqual([]);
    expect((await evaluation.followed).attempts).toBeLessThanOrEqual(1 + MOST_UNPLANNED);
  });

  if (isDatabase(store))
    test("F27 a frozen evaluation service: the other continues, and the writes of the first one are refused when it is resumed", async (episode) => {
      const { rig } = episode;
      const evaluation = await Evaluation.start(episode, "f27", cases);
      await evaluation.untilDone(Math.ceil(cases / 5));
      const holder = rig.judge.newestReplica;
      await evaluation.lose(async () => rig.freeze("eval", holder));
      const { done } = evaluation.newest?.counts ?? { done: 0 };
      await evaluation.untilDone(Math.min(done + 3, cases));
      rig.place("eval", holder).thaw();
      expect(await evaluation.end()).toEqual([]);
    });
}

/** One evaluation with a judge, and what may have been asked again. */
class Evaluation {
  readonly client: EvalClient;
  readonly followed: Promise<WireJob>;
  readonly jobId: string;
  readonly #episode: Episode;
  readonly #name: string;
  readonly #cases: number;
  readonly #frames: EvalFrame[] = [];
  #failure: unknown;
  #losses = 0;
  /** Questions about each case whose answers a killed process had not stored. */
  readonly #lost = new Map<string, number>();

  private constructor(episode: Episode, client: EvalClient, job: { jobId: string; name: string; cases: number }) {
    this.#episode = episode;
    this.client = client;
    this.jobId = job.jobId;
    this.#name = job.name;
    this.#cases = job.cases;
    this.followed = client.follow(job.jobId, this.#frames);
    // It is awaited at the end.
    this.followed.catch((error: unknown) => {
      this.#failure = error;
    });
  }

  static async start(episode: Episode, name: string, cases: number, thinkMs?: number): Promise<Evaluation> {
    const { rig, random } = episode;
    rig.judge.thinkMs = thinkMs ?? random.between(5, 60);
    const client = new EvalClient(rig);
    const evalSet = {
      evalSetId: name,
      evalCases: Array.from({ length: cases }, (_, index) => caseOf(rig.logFile, name, index)),
    };
    await client.create(`/apps/${APP}/eval-sets`, { evalSet });
    const criterion = {
      threshold: 1,
      judgeModelOptions: { numSamples: SAMPLES, parallelismLimit: PARALLEL_QUESTIONS },
    };
    const evalMetrics = [{ metricName: METRIC, criterion }];
    const { jobId } = await client.start({ appName: APP, evalSetId: name, evalMetrics }, name);
    return new Evaluation(episode, client, { jobId, name, cases });
  }

  get newest(): WireJob | undefined {
    return this.#frames.findLast((frame) => frame.kind === "job")?.job;
  }

  async untilDone(count: number): Promise<void> {
    await eventually(
      `${count} cases are done`,
      () => {
        if (this.#failure !== undefined) throw this.#failure;
        const { counts, status } = this.newest ?? { counts: { done: 0 }, status: "queued" };
        return counts.done >= count || !["queued", "running"].includes(status);
      },
      CONTINUED_MS,
    );
  }

  /** Kills all evaluation services at the same time, and starts them again. */
  async killWorkers(): Promise<void> {
    const { rig } = this.#episode;
    const replicas = [...rig.replicas("eval").keys()];
    await this.lose(async () => {
      await Promise.all(replicas.map((index) => rig.kill("eval", index)));
      await eventually("the judge has read what was sent", async () => (await rig.judge.connections()) === 0);
    });
    await Promise.all(replicas.map((index) => rig.restart("eval", index)));
  }

  /** Notes what was asked and is not stored when the job's worker is lost: this alone may be asked again. */
  async lose(fault: () => Promise<void>): Promise<void> {
    await fault();
    this.#losses += 1;
    await pauseFor(ARRIVAL_MS);
    const asked = this.#episode.rig.judge.questions();
    const { store, close } = await openEvalJobs(this.#episode.rig);
    let lost = 0;
    try {
      for (let index = 0; index < this.#cases; index += 1) {
        const mark = caseMark(this.#name, index);
        const lostBefore = this.#lost.get(mark) ?? 0;
        const count = (asked.get(mark) ?? 0) - lostBefore;
        if (count === 0) continue;
        const stored = await storedAnswers(store, this.jobId, {
          evalId: idOf(index),
          metricName: METRIC,
          samples: SAMPLES,
        });
        this.#lost.set(mark, lostBefore + count - stored);
        lost += count - stored;
      }
      // A worker stores each answer before it asks more in its place.
      expect(lost).toBeLessThanOrEqual(PARALLEL_CASES * PARALLEL_QUESTIONS);
    } finally {
      await close();
    }
  }

  /** Waits for the end, and returns the violations of E1 to E4. */
  async end(): Promise<readonly string[]> {
    const job = await this.followed;
    const cases = await this.#allCases();
    const result = await this.client.call<StoredResult>(`/apps/${APP}/eval-results/${job.evalResultId}`);
    const results = result.evalCaseResults.map(({ evalId }) => evalId);
    const expected = Array.from({ length: this.#cases }, (_, index) => idOf(index));
    const ended: EndedEvaluation = { job, cases, frames: this.#frames, results, expected };
    return [
      ...checkResults(ended),
      ...checkFrames(ended),
      ...this.#checkQuestions(job),
      ...(await this.#checkRuns(cases)),
    ];
  }

  /** The runs of the evaluation that have not ended. */
  async openRuns(): Promise<readonly string[]> {
    const cases = (await this.#allCases()).filter(({ sessionId }) => sessionId !== undefined);
    return this.#withSessions(cases, ({ runs }) =>
      runs
        .filter(({ status }) => ["pending", "running"].includes(status))
        .map(({ runId, status }) => `run ${runId} is ${status}`),
    );
  }

  /**
   * E3: each question was asked once, and once more for each answer that a killed process had not stored. A worker that a
   * busy machine has kept from renewing its lease was lost too, with at most as many questions as it asks at a time.
   */
  #checkQuestions({ attempts }: WireJob): readonly string[] {
    const asked = this.#episode.rig.judge.questions();
    const unplanned = Math.max(attempts - 1 - this.#losses, 0);
    const problems = this.#wrongCounts(asked);
    if (unplanned === 0 || unplanned > MOST_UNPLANNED || problems.length > unplanned * PARALLEL_CASES) return problems;
    process.stderr.write(`${this.#name}: ${unplanned} leases were lost without a fault.\n`);
    return [];
  }

  #wrongCounts(asked: ReadonlyMap<string, number>): readonly string[] {
    return Array.from({ length: this.#cases }, (_, index) => caseMark(this.#name, index)).flatMap((mark) => {
      const [count, lost] = [asked.get(mark) ?? 0, this.#lost.get(mark) ?? 0];
      return count === SAMPLES + lost
        ? []
        : [`E3 the judge was asked ${count} times about ${mark}, of which ${lost} were lost`];
    });
  }

  /** E4: each case was one conversation of one run, whose model was called once for each attempt. */
  #checkRuns(cases: readonly WireCase[]): Promise<readonly string[]> {
    return this.#withSessions(cases, ({ runs, events, calls }, { evalId }) => {
      const [run] = runs;
      const problems: string[] = [];
      if (runs.length !== 1 || run?.status !== "succeeded")
        problems.push(`E4 case ${evalId} has the runs ${runs.map(({ status }) => status).join()}`);
      if (events.length !== 2) problems.push(`E4 case ${evalId} has ${events.length} events`);
      if (calls > (run?.attempts ?? 0)) problems.push(`E4 the model was called ${calls} times for case ${evalId}`);
      return problems;
    });
  }

  async #withSessions(
    cases: readonly WireCase[],
    check: (found: FoundSession, each: WireCase) => readonly string[],
  ): Promise<readonly string[]> {
    const { store, close } = await openStore(this.#episode.rig);
    try {
      const problems: string[] = [];
      for (const each of cases) {
        const key = { appName: APP, userId: "test_user_id", id: each.sessionId ?? "" };
        const { runs, events } = await readSession(store, key);
        const calls = this.#episode.logOf(tagOf(this.#name, each.index)).filter((line) => / model /.test(line)).length;
        problems.push(...check({ runs, events, calls }, each));
      }
      return problems;
    } finally {
      await close();
    }
  }

  async #allCases(): Promise<readonly WireCase[]> {
    const { cases } = await this.client.call<{ readonly cases: readonly WireCase[] }>(
      `/v1/evals/${this.jobId}/cases?pageSize=500`,
    );
    return cases;
  }
}

type FoundSession = Pick<Awaited<ReturnType<typeof readSession>>, "runs" | "events"> & { readonly calls: number };

interface StoredResult {
  readonly evalCaseResults: readonly { readonly evalId: string }[];
}

function idOf(index: number): string {
  return `case-${index}`;
}

function tagOf(name: string, index: number): string {
  return `${name}-case-${index}`;
}

/** A case whose message is a script of the app `chaos`, and whose expected answer has the mark that the judge logs. */
function caseOf(log: string, name: string, index: number): object {
  const mark = caseMark(name, index);
  const script = { tag: tagOf(name, index), log, steps: [{ say: "answer", chunks: 3, pauseMs: 15 }] };
  const userContent = { role: "user", parts: [{ text: JSON.stringify(script) }] };
  const finalResponse = { role: "model", parts: [{ text: mark }] };
  return { evalId: idOf(index), conversation: [{ userContent, finalResponse }] };
}
