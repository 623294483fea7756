import { expect, it } from "vitest";
import { createApp } from "#kit/agents/app.ts";
import { LlmAgent } from "#kit/agents/llm-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { userContent } from "#kit/events/content.ts";
import { InMemorySessionStore } from "#kit/sessions/in-memory-session-store.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import { brief } from "#test/helpers/agent-world.ts";
import { FixedClock } from "../testing/fixed-clock.ts";
import { SequentialIds } from "../testing/sequential-ids.ts";
import { Runner } from "./runner.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

it("goes on behind no gap: a write that failed ends the run, whoever caught the failure", async () => {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  let failures = 1;
  const journal: RunJournal = {
    begin: (request) => store.begin(request),
    append: async (request) => {
      const isLost = request.events.some(({ json }) => json.includes("Lost words")) && failures > 0;
      if (!isLost) return store.append(request);
      failures -= 1;
      throw new Error("disk full");
    },
    finish: (request) => store.finish(request),
    renew: (lease, leaseMs) => store.renew(lease, leaseMs),
    release: (lease) => store.release(lease),
    cancel: (runId) => store.cancel(runId),
    get: (runId) => store.get(runId),
    list: (request) => store.list(request),
    listAbandoned: (request) => store.listAbandoned(request),
  };
  const speaker = (name: string, text: string): LlmAgent => new LlmAgent({ name, model: new ScriptedModel([text]) });
  // The first one's words are stored before the second one's model is called: inside the tool, where failures are told to the model.
  const agent = new SequentialAgent({
    name: "pair",
    subAgents: [speaker("first", "Lost words."), speaker("second", "So.")],
  });
  const model = new ScriptedModel([functionCallResponse("pair", { request: "Go." }), "All is well."]);
  const rootAgent = new LlmAgent({ name: "boss", model, tools: [new AgentTool({ agent })] });
  const app = createApp({ name: KEY.appName, rootAgent });
  const runner = new Runner({ app, sessionService: store, journal, clock, ids });
  await store.createSession(KEY);

  const run = Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: "talk", newMessage: userContent("Hi") }));

  await expect(run).rejects.toThrow("The session store failed.");
  const events = (await store.getSession(KEY))?.events ?? [];
  expect(events.map(brief)).not.toContain("boss: All is well.");
  expect(events.at(-1)?.errorCode).toBe("STORE_UNAVAILABLE");
});
