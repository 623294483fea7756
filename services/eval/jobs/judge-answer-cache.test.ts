import { describe, expect, it } from "vitest";
import { LeaseLostError } from "#kit/errors/session-errors.ts";
import type { JudgeCall } from "#kit/evaluation/metrics/judge.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { EvalJobStore } from "#ports/evaluation-jobs/eval-job-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { newEvalJob } from "#test/contract/evaluations/eval-job-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { JudgeAnswerCache } from "./judge-answer-cache.ts";

const LEASE_MS = 1000;
const { signal } = new AbortController();

function question(sample: number): JudgeCall {
  const key = { evalId: "a", metricName: "final_response_match_v2", invocation: 0, step: "answer", sample };
  return { key, model: "judge", prompt: "valid?" };
}

interface Claimer {
  readonly lost?: unknown[];
  readonly assertUsable?: () => void;
}

async function claimBy(
  store: EvalJobStore,
  holder: string,
  { lost = [], assertUsable = () => undefined }: Claimer = {},
) {
  const claimed = await store.claim({ jobId: "j1" }, { holder, leaseMs: LEASE_MS });
  if (claimed === undefined) throw new Error("The job cannot be claimed.");
  const { lease } = claimed;
  const onLost = (error: unknown): void => void lost.push(error);
  return new JudgeAnswerCache({ store, lease, assertUsable, signal, untilAvailable: (work) => work(), onLost });
}

async function openStore() {
  const clock = new FixedClock();
  const store = new TabularEvalJobStore({ table: new InMemoryRowTable(), clock });
  await store.create(newEvalJob("j1"));
  return { clock, store };
}

describe("the answers of a job's models", () => {
  it("are asked for once a sample, whichever process asks", async () => {
    verifies("platform:evaluation:answers-kept");
    const { clock, store } = await openStore();
    const asked: number[] = [];
    const ask = async ({ key }: JudgeCall) => `answer ${asked.push(key.sample)}`;
    const first = (await claimBy(store, "one")).judge(ask);
    expect(await first(question(0), signal)).toBe("answer 1");
    expect(await first(question(0), signal)).toBe("answer 1");
    clock.advance(LEASE_MS);
    const second = (await claimBy(store, "two")).judge(ask);
    expect(await second(question(0), signal)).toBe("answer 1");
    expect(await second(question(1), signal)).toBe("answer 2");
    expect(asked).toEqual([0, 1]);
  });

  it("do not count if another process has the job when they arrive", async () => {
    const { clock, store } = await openStore();
    const lost: unknown[] = [];
    const late = Promise.withResolvers<string>();
    const first = (await claimBy(store, "one", { lost })).judge(() => late.promise);
    const answer = first(question(0), signal);
    answer.catch(() => undefined);
    // The model call is in progress.
    await store.get({ jobId: "j1" });
    clock.advance(LEASE_MS);
    const second = (await claimBy(store, "two")).judge(async () => "of the second");
    late.resolve("too late");
    await expect(answer).rejects.toMatchObject({ reason: "LEASE_LOST" });
    expect(lost).toMatchObject([{ reason: "LEASE_LOST" }]);
    expect(await second(question(0), signal)).toBe("of the second");
  });

  it("are not asked for by a process that was suspended for longer than its lease", async () => {
    verifies("platform:evaluation:answers-kept");
    const { store } = await openStore();
    const lost: unknown[] = [];
    const assertUsable = () => {
      throw new LeaseLostError("j1");
    };
    const asked: number[] = [];
    const judge = (await claimBy(store, "one", { lost, assertUsable })).judge(async () => `${asked.push(1)}`);
    await expect(judge(question(0), signal)).rejects.toMatchObject({ reason: "LEASE_LOST" });
    expect([asked, lost]).toEqual([[], [expect.objectContaining({ reason: "LEASE_LOST" })]]);
  });

  it("to model calls in progress are waited for", async () => {
    const { store } = await openStore();
    const coming = Promise.withResolvers<string>();
    const answers = await claimBy(store, "one");
    const answer = answers.judge(() => coming.promise)(question(0), signal);
    let isSettled = false;
    const settled = answers.settled().then(() => {
      isSettled = true;
    });
    await store.get({ jobId: "j1" });
    expect(isSettled).toBe(false);
    coming.resolve("yes");
    await settled;
    expect(await answer).toBe("yes");
    expect(await store.getAnswer({ jobId: "j1" }, question(0).key)).toBe("yes");
  });

  it("of simulated users are separate for each conversation of a case", async () => {
    const { store } = await openStore();
    const answers = await claimBy(store, "one");
    let count = 0;
    const play = async () => `message ${(count += 1)}`;
    const call = { model: "judge", prompt: "next", turn: 1 };
    const ask = (name: string) => answers.user(play, { evalId: "a", name })(call, signal);
    expect([await ask("0"), await ask("0"), await ask("0-1")]).toEqual(["message 1", "message 1", "message 2"]);
  });
});
