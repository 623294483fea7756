import { type FirestoreCall, FirestoreDatabase } from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { createApp } from "#kit/core/app.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { firestoreEmulatorMissing, startFirestoreEmulator } from "#tooling/emulators/firestore-emulator.ts";
import type { BenchOptions } from "../bench-options.ts";
import { historyEvent } from "../kit/history-event.ts";
import { printFigures } from "../print-figures.ts";

const OWNER = { appName: "bench", userId: "u" };
const LENGTHS = [10, 100, 1000];
const TURNS = 20;

/** Calls to Firestore that a plain turn makes, on average, on sessions that the runner holds. */
export async function benchRoundTrips({ only }: BenchOptions): Promise<void> {
  const name = "Firestore: round trips of a turn";
  if (only !== undefined && !name.includes(only)) return;
  process.stdout.write(`\n${name}\n`);
  const missing = firestoreEmulatorMissing();
  if (missing !== undefined) {
    process.stdout.write(`  not measured: ${missing}\n`);
    return;
  }
  await using emulator = await startFirestoreEmulator();
  for (const length of LENGTHS) {
    const calls: FirestoreCall[] = [];
    await using database = new FirestoreDatabase({
      projectId: `bench-${length}`,
      emulatorHost: emulator.host,
      // The first call to an emulator takes long.
      deadlineMs: 60_000,
      observeCall: (call) => calls.push(call),
    });
    const store = new FirestoreSessionStore({ database });
    const events = Array.from({ length }, (_, index) => historyEvent(index));
    await store.createSession({ ...OWNER, id: "s", events });
    const agent = new LlmAgent({ name: "bench", model: new ScriptedModel(["ok"], { repeatLast: true }) });
    const runner = new Runner({
      app: createApp({ name: OWNER.appName, rootAgent: agent }),
      sessionService: store,
      journal: store,
    });
    const turn = async (): Promise<void> => {
      const request = { userId: OWNER.userId, sessionId: "s", newMessage: userContent("and now?") };
      for await (const _ of runner.runAsync(request));
    };
    // The first turn reads the session.
    await turn();
    calls.length = 0;
    for (let count = 0; count < TURNS; count += 1) await turn();
    printFigures({
      [`${length} events: commits`]: countOf(calls, "commit"),
      [`${length} events: batched reads`]: countOf(calls, "batchGetDocuments"),
      [`${length} events: queries`]: countOf(calls, "runQuery"),
      [`${length} events: documents read`]: documentsRead(calls),
    });
  }
}

function countOf(calls: readonly FirestoreCall[], method: FirestoreCall["method"]): number {
  return calls.filter((call) => call.method === method).length / TURNS;
}

function documentsRead(calls: readonly FirestoreCall[]): number {
  const reads = calls.filter(({ method }) => method === "batchGetDocuments");
  return reads.reduce((total, { count }) => total + count, 0) / TURNS;
}
