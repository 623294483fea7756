import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/agents/llm-agent.ts";
import { InMemoryArtifactService } from "#kit/artifacts/in-memory-artifact-service.ts";
import { StaticAgentLoader } from "#kit/definitions/static-agent-loader.ts";
import { userContent } from "#kit/events/content.ts";
import { InMemoryMemoryService } from "#kit/memory/in-memory-memory-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { InMemoryRunSignals } from "#kit/runner/in-memory-run-signals.ts";
import { InMemoryRunStream } from "#kit/runner/in-memory-run-stream.ts";
import type { RunSignal, RunSignals } from "#kit/runner/run-signals.ts";
import { InMemorySessionStore } from "#kit/sessions/in-memory-session-store.ts";
import type { ConcurrencyPolicy } from "#kit/sessions/run-record.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { loadConfig } from "#shared/load-config.ts";
import { runnerConfigSchema } from "./config.ts";
import { createRunnerService } from "./create-runner-service.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

/** Two runners over one store, one stream and these pokes; their model answers the steps in turn. */
async function createWorld(steps: readonly ScriptedStep[], runSignals: RunSignals) {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  const runStream = new InMemoryRunStream({ clock });
  const model = new ScriptedModel(steps);
  const createRunner = (holder: string) =>
    createRunnerService({
      agentLoader: new StaticAgentLoader([new LlmAgent({ name: "app", model })]),
      sessionService: store,
      runJournal: store,
      artifactService: new InMemoryArtifactService({ clock }),
      memoryService: new InMemoryMemoryService({ clock, ids }),
      runStream,
      runSignals,
      spanSinks: [],
      clock,
      ids,
      logger: silentLogger,
      // Nobody looks by themselves before this test is over.
      config: loadConfig(runnerConfigSchema, { LEASE_MS: "3600000" }),
      holder,
    });
  await store.createSession(KEY);
  const runners = [createRunner("one"), createRunner("two")] as const;
  return {
    runners,
    store,
    start: (runner: 0 | 1, text: string, policy: ConcurrencyPolicy = "enqueue") =>
      runners[runner].startRun({ session: KEY, request: { newMessage: userContent(text) }, policy }),
    /** How the run's stream ends. */
    endOf: async (runId: string): Promise<string> => {
      const batches = runStream.subscribe(runId, { signal: AbortSignal.timeout(5000) });
      const last = (await Array.fromAsync(batches)).flat().at(-1);
      return last?.kind === "end" ? last.status : "no end";
    },
    texts: async (): Promise<readonly string[]> => {
      const events = (await store.getSession(KEY))?.events ?? [];
      return events.map(({ author, content, errorCode }) => `${author}: ${content?.parts?.[0]?.text ?? errorCode}`);
    },
  };
}

/** A step that waits until it is let go, and says when it has begun. */
function heldStep(text: string) {
  const begun = Promise.withResolvers<void>();
  const hold = Promise.withResolvers<void>();
  const step: ScriptedStep = async () => {
    begun.resolve();
    await hold.promise;
    return text;
  };
  return { step, begun: begun.promise, letGo: hold.resolve };
}

/** Pokes that reach nobody, written down. */
class LostSignals implements RunSignals {
  readonly sent: RunSignal[] = [];
  send(signal: RunSignal): void {
    this.sent.push(signal);
  }
  listen(): Disposable {
    return { [Symbol.dispose]: () => {} };
  }
}

describe("runners that share their sessions", () => {
  it("end a run under way that another one was asked to cancel", async () => {
    const held = heldStep("never");
    const { runners, start, endOf } = await createWorld([held.step], new InMemoryRunSignals());
    const { runId } = await start(0, "hi");
    await held.begun;
    expect((await runners[1].cancelRun(runId)).status).toBe("running");
    expect(await endOf(runId)).toBe("cancelled");
  });

  it("take a run out of the line that another one was asked to cancel, and tell its readers", async () => {
    const held = heldStep("one");
    const { runners, start, endOf, texts } = await createWorld([held.step], new InMemoryRunSignals());
    const first = await start(0, "a");
    await held.begun;
    const second = await start(1, "b");
    expect((await runners[0].cancelRun(second.runId)).status).toBe("cancelled");
    expect(await endOf(second.runId)).toBe("cancelled");
    held.letGo();
    expect(await endOf(first.runId)).toBe("succeeded");
    expect(await texts()).toEqual(["user: a", "app: one"]);
  });

  it("start a waiting run when one ends that another has", async () => {
    const held = heldStep("one");
    const { start, endOf, texts } = await createWorld([held.step, "two", "three"], new InMemoryRunSignals());
    await start(0, "a");
    await held.begun;
    const second = await start(1, "b");
    const third = await start(0, "c");
    held.letGo();
    expect([await endOf(second.runId), await endOf(third.runId)]).toEqual(["succeeded", "succeeded"]);
    expect(await texts()).toEqual(["user: a", "app: one", "user: b", "app: two", "user: c", "app: three"]);
  });

  it.each(["interrupt", "rollback"] as const)(
    "drop what waits, on either of them, when a newer message takes its place (%s)",
    async (policy) => {
      const held = heldStep("never");
      const { start, store, endOf, texts } = await createWorld([held.step, "newest"], new InMemoryRunSignals());
      const first = await start(0, "a");
      await held.begun;
      const waiting = [await start(0, "b"), await start(1, "c"), await start(1, "d", "interrupt")];
      const last = await start(0, "e", policy);
      expect(await endOf(last.runId)).toBe("succeeded");
      const ends = await Promise.all([first, ...waiting].map(({ runId }) => endOf(runId)));
      expect(ends).toEqual(["cancelled", "cancelled", "cancelled", "cancelled"]);
      for (const { runId } of waiting)
        expect((await store.get(runId))?.error?.message).toBe("A newer message took this run's place.");
      expect((await texts()).slice(-2)).toEqual(["user: e", "app: newest"]);
      expect((await texts()).filter((text) => /^user: [a-e]$/.test(text))).toEqual(["user: a", "user: e"]);
    },
  );

  it("interrupt a run that another has", async () => {
    const held = heldStep("never");
    const { start, endOf } = await createWorld([held.step, "two"], new InMemoryRunSignals());
    const first = await start(0, "a");
    await held.begun;
    const second = await start(1, "b", "interrupt");
    expect([await endOf(first.runId), await endOf(second.runId)]).toEqual(["cancelled", "succeeded"]);
  });

  it("find their turn by themselves when every poke is lost", async () => {
    const held = heldStep("one");
    const signals = new LostSignals();
    const { start, endOf } = await createWorld([held.step, "two"], signals);
    const first = await start(0, "a");
    await held.begun;
    const second = await start(1, "b");
    held.letGo();
    expect(await endOf(second.runId)).toBe("succeeded");
    expect(signals.sent[0]).toEqual({ kind: "awaited", runId: first.runId });
  });

  it("say nothing to each other about a run that nobody else waits for", async () => {
    const signals = new LostSignals();
    const { start, endOf } = await createWorld(["one"], signals);
    expect(await endOf((await start(0, "a")).runId)).toBe("succeeded");
    expect(signals.sent).toEqual([]);
  });
});
