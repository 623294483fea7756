import type { App } from "#kit/core/app.ts";
import type { BeginOutcome, BeginRequest } from "#kit/runs/base/runner-options.ts";
import type { LeaveSlot } from "../slots/run-limits.ts";
import type { RunnerServiceDeps } from "./runner-service-deps.ts";

/** A begin that can be repeated: the journal recognises the run by its id. */
export type NamedBegin = BeginRequest & { readonly runId: string };

/**
 * Begins the run and, if it starts, executes it and releases its slot at its end. Otherwise the caller keeps the slot.
 */
export async function beginRun(
  { pool, executor, runs }: Pick<RunnerServiceDeps, "pool" | "executor" | "runs">,
  app: App,
  begin: NamedBegin,
  leaveSlot: LeaveSlot,
): Promise<BeginOutcome> {
  const { runner, release } = pool.acquire(app);
  let outcome: BeginOutcome | undefined;
  try {
    outcome = await runner.beginRun(begin);
  } finally {
    if (outcome?.kind !== "started") release();
  }
  if (outcome.kind !== "started") return outcome;
  const { run } = outcome;
  const execute = async (): Promise<void> => {
    try {
      await executor.execute(runner, run);
    } finally {
      release();
      leaveSlot();
    }
  };
  runs.start(run, execute);
  return outcome;
}
