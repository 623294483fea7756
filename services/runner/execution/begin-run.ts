import { PlatformError } from "#kit/errors/platform-error.ts";
import type { BeginOutcome, BeginRequest } from "#kit/runs/base/runner-options.ts";
import type { Runner } from "#kit/runs/runner.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RevisionPlace } from "../revisions/agent-revisions.ts";
import type { LeaveSlot } from "../slots/run-limits.ts";
import type { RunnerServiceDeps } from "./runner-service-deps.ts";

/** A begin that can be repeated: the journal recognises the run by its id. */
export type NamedBegin = BeginRequest & { readonly runId: string };

/**
 * The result of a begin; `left`: the run is recorded for another runner, which has its agent revision. Who has got the run
 * from a client notifies that runner; one that has found the run does not, because the other finds it too.
 */
export type PlacedOutcome = BeginOutcome | { readonly kind: "left"; readonly record: RunRecord };

type PlacingParts = Pick<RunnerServiceDeps, "pool" | "revisions">;

/** Agent revisions may change while a run begins, but not so often. */
const MAX_PLACES = 4;

/**
 * Begins the run and, if it starts, executes it and releases its slot at its end. Otherwise the caller keeps the slot.
 */
export async function beginRun(
  parts: PlacingParts & Pick<RunnerServiceDeps, "executor" | "runs">,
  begin: NamedBegin,
  { place, leaveSlot }: { readonly place: RevisionPlace; readonly leaveSlot: LeaveSlot },
): Promise<PlacedOutcome> {
  const { outcome, runner, release } = await beginInPlace(parts, begin, place);
  if (outcome.kind !== "started") {
    release();
    return outcome;
  }
  const { run } = outcome;
  const execute = async (): Promise<void> => {
    try {
      await parts.executor.execute(runner, run);
    } finally {
      release();
      leaveSlot();
    }
  };
  parts.runs.start(run, execute);
  return outcome;
}

/**
 * Begins the run on the given version of its app, or on the one that the run or its session is on. The journal knows
 * that one, and refuses to start the run on another, so that a turn without a change makes no further call. The caller
 * releases the runner, whatever the outcome.
 */
export async function beginInPlace(
  { pool, revisions }: PlacingParts,
  begin: NamedBegin,
  first: RevisionPlace,
): Promise<{ readonly outcome: PlacedOutcome; readonly runner: Runner; readonly release: () => void }> {
  let place = first;
  for (let tried = 1; ; tried += 1) {
    const { loaded, movesFrom, leftFor } = place;
    const { runner, release } = pool.acquire(loaded.app);
    try {
      const { agentRevision } = loaded;
      const outcome = await runner.beginRun({ ...begin, agentRevision, movesFrom, leftFor });
      if (leftFor === undefined || outcome.kind !== "queued") return { outcome, runner, release };
      return { outcome: { kind: "left", record: outcome.record }, runner, release };
    } catch (error) {
      release();
      const current = currentRevision(error);
      if (current === undefined || tried === MAX_PLACES) throw error;
      place = await revisions.place(begin.session, current, begin.request.live !== undefined);
    }
  }
}

/** The agent revision that the run or its session is on, if the journal has refused the run for that reason. */
function currentRevision(error: unknown): string | undefined {
  if (!(error instanceof PlatformError) || error.reason !== "AGENT_REVISION_DIFFERS") return undefined;
  return error.details["agentRevision"];
}
