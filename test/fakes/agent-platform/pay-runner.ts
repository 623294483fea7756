import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStores } from "#adapters/index.ts";
import { ManagedSessionStore } from "#adapters/vertex/managed-session-store.ts";
import { VertexAiSessionService } from "#adapters/vertex/vertex-ai-session-service.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";

/** A runner whose one run calls a tool and then answers: four events. */
export function payRunner({ store, folder }: { readonly store: ManagedSessionStore; readonly folder: string }) {
  const pay = new FunctionTool({
    name: "pay",
    description: "Pays.",
    idempotent: true,
    execute: () => {
      // Written over by a second call, as an idempotent service does.
      writeFileSync(join(folder, "payments"), "paid\n");
      return { done: true };
    },
  });
  const model = new ScriptedModel(
    [
      ({ contents }) =>
        contents.some(({ parts }) => parts?.some(({ functionResponse }) => functionResponse !== undefined))
          ? "Paid."
          : functionCallResponse("pay", {}),
    ],
    { repeatLast: true },
  );
  const agent = new LlmAgent({ name: "cashier", model, tools: [pay] });
  const runner = new Runner({ appName: "shop", agent, sessionService: store, holder: "runner" });
  const request = { newMessage: userContent("Pay."), autoCreateSession: true };
  return { runner, begin: { runId: "run", session: { appName: "shop", userId: "ada", id: "paid" }, request } };
}

/** The program of a process: the run on SQLite in FOLDER, and the managed service at PLATFORM. */
export async function pay(): Promise<void> {
  const { FOLDER: folder = "", PLATFORM: apiEndpoint = "" } = process.env;
  const data = await openSqliteStores({ folder });
  const place = { project: "acme", location: "us-central1", agentEngineId: "1" };
  const managed = new VertexAiSessionService({ ...place, apiEndpoint });
  const store = new ManagedSessionStore({ managed, sessionService: data.sessionService, runJournal: data.runJournal });
  const { runner, begin } = payRunner({ store, folder });
  const outcome = await runner.beginRun(begin);
  if (outcome.kind !== "started") throw new Error(`The run is ${outcome.kind}.`);
  await Array.fromAsync(runner.executeRun(outcome.run));
  await store[Symbol.asyncDispose]();
}
