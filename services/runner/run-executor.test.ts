import { expect, it } from "vitest";
import { LlmAgent } from "#kit/agents/llm-agent.ts";
import { InMemoryArtifactService } from "#kit/artifacts/in-memory-artifact-service.ts";
import { StaticAgentLoader } from "#kit/definitions/static-agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { LeaseLostError } from "#kit/errors/session-errors.ts";
import { userContent } from "#kit/events/content.ts";
import { InMemoryMemoryService } from "#kit/memory/in-memory-memory-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { InMemoryRunStream } from "#kit/runner/in-memory-run-stream.ts";
import type { RunStreamEntry } from "#kit/runner/run-stream.ts";
import { InMemorySessionStore } from "#kit/sessions/in-memory-session-store.ts";
import type { FinishRunRequest, FinishRunResult } from "#kit/sessions/run-journal.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { loadConfig } from "#shared/load-config.ts";
import { runnerConfigSchema } from "./config.ts";
import { createRunnerService } from "./create-runner-service.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

type Finish = (request: FinishRunRequest) => Promise<FinishRunResult>;

/** What the store and the stream say of a run when its runner has nothing more to do, with a store that ends runs in its own way. */
async function afterRun(endIn: (finish: Finish) => Finish) {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  store.finish = endIn(store.finish.bind(store));
  const runStream = new InMemoryRunStream({ clock });
  const service = createRunnerService({
    agentLoader: new StaticAgentLoader([new LlmAgent({ name: "app", model: new ScriptedModel(["Hello"]) })]),
    sessionService: store,
    runJournal: store,
    artifactService: new InMemoryArtifactService({ clock }),
    memoryService: new InMemoryMemoryService({ clock, ids }),
    runStream,
    spanSinks: [],
    clock,
    ids,
    logger: silentLogger,
    config: loadConfig(runnerConfigSchema, {}),
    holder: "here",
  });
  await store.createSession(KEY);
  const { runId } = await service.startRun({
    session: KEY,
    request: { newMessage: userContent("hi"), streaming: false },
  });
  await service.whenIdle();
  const reader = runStream.subscribe(runId, { signal: AbortSignal.timeout(5000) })[Symbol.asyncIterator]();
  const first = reader.next();
  // What is there is given at once; a reader of nothing would wait.
  await reader.return?.();
  const batch: readonly RunStreamEntry[] = (await first).value ?? [];
  const shown = batch.map((entry) => (entry.kind === "end" ? `end ${entry.status}` : entry.kind));
  return { status: (await store.get(runId))?.status, shown };
}

it("tells readers of no end when it could not write one: whoever has the run now goes on with its stream", async () => {
  const lose = () => async (request: FinishRunRequest) => {
    throw new LeaseLostError(request.lease.runId);
  };
  expect(await afterRun(lose)).toEqual({ status: "running", shown: [] });
});

it("tells readers of the end that the store has although its answer was lost, and that something is before it", async () => {
  const loseAnswer = (finish: Finish) => async (request: FinishRunRequest) => {
    await finish(request);
    throw new PlatformError("SERVICE_TIMEOUT", "The session service did not answer in time. Try again.");
  };
  expect(await afterRun(loseAnswer)).toEqual({ status: "succeeded", shown: ["resync", "end succeeded"] });
});
