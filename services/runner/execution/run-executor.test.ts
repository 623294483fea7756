import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { LeaseLostError } from "#kit/errors/session-errors.ts";
import type { FinishRunRequest, FinishRunResult } from "#kit/sessions/run-journal.ts";
import type { RunStreamEntry } from "#ports/runs/run-stream.ts";
import { createRunnerWorld } from "#test/helpers/worlds/runner-world.ts";

type Finish = (request: FinishRunRequest) => Promise<FinishRunResult>;

/** The status and the stream entries of a run after its runner has finished, with `finish` of the store replaced. */
async function afterRun(endIn: (finish: Finish) => Finish) {
  const { store, runStream, service, start } = await createRunnerWorld(["Hello"]);
  store.finish = endIn(store.finish.bind(store));
  const { runId } = await start("hi");
  await service.whenIdle();
  const reader = runStream.subscribe(runId, { signal: AbortSignal.timeout(5000) })[Symbol.asyncIterator]();
  const first = reader.next();
  // Stored entries are delivered immediately; reading an empty stream would wait.
  await reader.return?.();
  const batch: readonly RunStreamEntry[] = (await first).value ?? [];
  const shown = batch.map((entry) => (entry.kind === "end" ? `end ${entry.status}` : entry.kind));
  return { status: (await store.get(runId))?.status, shown };
}

it("publishes no end when it could not store one, because another runner continues the stream", async () => {
  const lose = () => async (request: FinishRunRequest) => {
    throw new LeaseLostError(request.lease.runId);
  };
  expect(await afterRun(lose)).toEqual({ status: "running", shown: [] });
});

it("publishes the stored end when the store's answer was lost, with a gap before it", async () => {
  const loseAnswer = (finish: Finish) => async (request: FinishRunRequest) => {
    await finish(request);
    throw new PlatformError("SERVICE_TIMEOUT", "The session service did not answer in time. Try again.");
  };
  expect(await afterRun(loseAnswer)).toEqual({ status: "succeeded", shown: ["resync", "end succeeded"] });
});
