import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ManagedSessionStore } from "#adapters/vertex/managed-session-store.ts";
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
