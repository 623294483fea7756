import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { ConcurrencyPolicy } from "#kit/sessions/run-record.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import type { RunStreamEntry } from "#ports/runs/run-stream.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { runnerConfigSchema } from "#services/runner/config.ts";
import { createRunnerService } from "#services/runner/create-runner-service.ts";
import type { RunnerDeps } from "#services/runner/deps.ts";
import { loadConfig } from "#shared/config/load-config.ts";

export const KEY = { appName: "app", userId: "ada", id: "talk" };

interface StartOptions {
  readonly policy?: ConcurrencyPolicy;
  readonly streaming?: boolean;
  readonly timeoutMs?: number;
}

/** A runner service over stores in memory, whose one app has a model with these steps, and one session. */
export async function createRunnerWorld(steps: readonly ScriptedStep[], overrides: Partial<RunnerDeps> = {}) {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  const model = new ScriptedModel(steps);
  const runStream = new InMemoryRunStream({ clock });
  const deps: RunnerDeps = {
    agentLoader: new StaticAgentLoader([new LlmAgent({ name: KEY.appName, model })]),
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
    ...overrides,
  };
  const service = createRunnerService(deps);
  await store.createSession(KEY);
  return {
    deps,
    clock,
    store,
    model,
    runStream,
    service,
    start: (text: string, { streaming = false, ...options }: StartOptions = {}) =>
      service.startRun({ session: KEY, request: { newMessage: userContent(text), streaming }, ...options }),
    /** All entries of a run's stream until its end. */
    read: async (runId: string): Promise<RunStreamEntry[]> => {
      const batches = runStream.subscribe(runId, { signal: AbortSignal.timeout(5000) });
      return (await Array.fromAsync(batches)).flat();
    },
    texts: async (): Promise<readonly string[]> => {
      const events = (await store.getSession(KEY))?.events ?? [];
      return events.map(({ author, content, errorCode }) => `${author}: ${content?.parts?.[0]?.text ?? errorCode}`);
    },
  };
}

/** Epoch and number, then the entry's content: `~` marks a chunk, `#` the position of a stored event. */
export function briefEntry(entry: RunStreamEntry): string {
  if (entry.kind === "resync") return "resync";
  const at = `${entry.epoch}.${entry.n}`;
  if (entry.kind === "event") {
    const { content, errorCode } = JSON.parse(entry.json);
    return `${at} ${content?.parts[0].text ?? errorCode}${entry.partial ? "~" : ` #${entry.sequence}`}`;
  }
  return entry.kind === "end" ? `${at} ${entry.status}` : `${at} attempt ${entry.attempt}`;
}
