import { expect, it } from "vitest";
import { createApp } from "#kit/agents/app.ts";
import { LlmAgent } from "#kit/agents/llm-agent.ts";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
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
    getHeads: (sessions) => store.getHeads(sessions),
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

it("is given up, not failed, when the store is away for a write: calls end at once, nothing is written, and another attempt answers", async () => {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  const appendInStore = store.append.bind(store);
  let isAway = false;
  store.append = async (request) => {
    if (isAway) throw new PlatformError("SERVICE_UNAVAILABLE", "The session service is away.");
    return appendInStore(request);
  };
  const finishes: string[] = [];
  const finishInStore = store.finish.bind(store);
  store.finish = async (request) => {
    finishes.push(request.status);
    return finishInStore(request);
  };
  const aborted: unknown[] = [];
  // One is asked when the store has gone; it takes the other's call with it.
  const goAway = async (): Promise<string> => {
    isAway = true;
    return "Lost words.";
  };
  const hang = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        aborted.push(signal.reason);
        reject(signal.reason);
      });
    });
  const child = (name: string, steps: ConstructorParameters<typeof ScriptedModel>[0]): LlmAgent =>
    new LlmAgent({ name, model: new ScriptedModel(steps) });
  const rootAgent = new ParallelAgent({
    name: "team",
    subAgents: [child("left", [goAway, "Found words."]), child("right", [hang, "Done."])],
  });
  const app = createApp({ name: KEY.appName, rootAgent });
  const runner = new Runner({ app, sessionService: store, journal: store, clock, ids });
  await store.createSession(KEY);
  const begin = { session: KEY, runId: "run", request: { newMessage: userContent("Hi") } };
  const first = await runner.beginRun(begin);
  if (first.kind !== "started") throw new Error("the run did not start");
  const execution = runner.executeRun(first.run);
  while (!(await execution.next()).done);

  expect([aborted, finishes]).toEqual([[expect.objectContaining({ reason: "LEASE_LOST" })], []]);
  expect(await store.get("run")).toMatchObject({ status: "running", attempts: 1 });
  isAway = false;
  const second = await runner.beginRun(begin);
  if (second.kind !== "started") throw new Error("the run was not taken up");
  await Array.fromAsync(runner.executeRun(second.run));
  expect(await store.get("run")).toMatchObject({ status: "succeeded", attempts: 2 });
  const said = ((await store.getSession(KEY))?.events ?? []).map(brief);
  expect(said.toSorted()).toEqual(["left: Found words.", "right: Done.", "user: Hi"]);
});
