import { expect, it, onTestFinished } from "vitest";
import { createApp } from "#kit/core/app.ts";
import type { AppInbox } from "#kit/core/app-settings/app-inbox.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { CONFIRMATION_CALL } from "#kit/events/reserved-calls.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { functionCallResponse } from "#kit/testing/scripted-model.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import type { InboxStore } from "#ports/inbox/inbox-store.ts";
import { TabularInboxStore } from "#ports/inbox/tabular-inbox-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import type { RouteDeps } from "#services/gateway/deps.ts";
import type { ManagedKeys } from "#services/gateway/identity/identity.ts";
import { InboxExpirer } from "#services/gateway/inbox/inbox-expirer.ts";
import { watchQuestions } from "#services/gateway/inbox/watch-questions.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { thinking } from "#test/helpers/worlds/resume-scenarios.ts";
import type { RunScript } from "#test/helpers/worlds/scripted-runner.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";

const DAY = 24 * 60 * 60;
const SESSION = { appName: "echo", userId: "ada", id: "talk" };

/** A run that asks for a confirmation, and runs that answer it. */
const asking: RunScript = async (run) => {
  if (run.request.newMessage?.parts?.[0]?.functionResponse !== undefined) {
    await run.say("answered");
    return undefined;
  }
  const functionCall = { id: "c1", name: CONFIRMATION_CALL, args: {} };
  await run.say({ content: { role: "model", parts: [{ functionCall }] }, longRunningToolIds: ["c1"] });
  return { status: "awaiting_input" };
};

async function startWorld(inbox: AppInbox, apiKeys?: ManagedKeys) {
  const clock = new FixedClock();
  const audited: AuditDecision[] = [];
  const auditor = { note: (decision: AuditDecision) => void audited.push(decision), require: async () => {} };
  const world = await startGateway({ clock, script: asking, resumes: true, deps: { auditor } });
  onTestFinished(() => world[Symbol.asyncDispose]());
  await world.store.createSession(SESSION);
  const described = await world.runner.describeApp("echo");
  world.runner.describeApp = async () => ({ ...described, inbox });
  const table = new InMemoryRowTable();
  const store = new TabularInboxStore({ table });
  const { runnerService } = watchQuestions({ ...world.deps, liveRunner: undefined }, store, () => {});
  const deps = { ...world.deps, apiKeys, runnerService };
  // What a gateway adds for its routes is not used here.
  const routeDeps = { ...deps, unguarded: deps, publicPath: "" } as unknown as RouteDeps;
  /** A gateway that is not stopped in the test. A step of its own that never ends is not waited for. */
  const lose = (used: InboxStore): InboxExpirer => {
    const expirer = new InboxExpirer(routeDeps, { store: used, isShared: true, lookMs: 5 });
    expirer.look();
    onTestFinished(() => void expirer.stop());
    return expirer;
  };
  const startExpirer = (): void => {
    const expirer = lose(store);
    onTestFinished(() => expirer.stop());
  };
  const ask = (keyId?: string) =>
    runnerService.startRun({
      runId: "named",
      session: SESSION,
      request: { newMessage: { role: "user", parts: [{ text: "Go" }] }, ...(keyId !== undefined && { keyId }) },
    });
  const runs = async () => (await world.store.list({ session: SESSION })).runs.toReversed();
  const answers = async () => (await runs()).slice(1).map(({ request }) => request);
  const waits = () => expect.poll(async () => (await runs())[0]?.status).toBe("awaiting_input");
  return { ...world, clock, table, inboxStore: store, lose, startExpirer, ask, runs, answers, waits, audited };
}

it("answers a question once that nobody has answered in time, however many gateways look", async () => {
  verifies("platform:inbox:expiry");
  const { clock, startExpirer, ask, answers, waits, audited, table } = await startWorld({ expiresAfterSeconds: DAY });
  await ask();
  await waits();
  for (let count = 0; count < 4; count += 1) startExpirer();
  clock.advance(DAY * 1000 - 1);
  expect(await answers()).toEqual([]);
  clock.advance(1);
  await expect.poll(answers).toEqual([
    {
      newMessage: {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: CONFIRMATION_CALL, response: { confirmed: false } } }],
      },
      streaming: true,
      customMetadata: { inbox: { expired: "named" } },
    },
  ]);
  clock.advance(60_000);
  // The run that answers has a time too.
  await expect.poll(() => table.listKeys({ prefix: "entry/", limit: 10 })).toHaveLength(1);
  expect(await answers()).toHaveLength(1);
  expect(audited).toEqual([
    {
      ...{ kind: "decision", timeMs: clock.now() - 60_000, subject: "server:inbox", action: "expireInboxEntry" },
      resource: { appName: "echo", userId: "ada", sessionId: "talk", runId: "named" },
      ...{ decision: "allowed", requestId: expect.any(String) },
    },
  ]);
});

it("answers nothing twice if a gateway is lost between the answer and the commit of it", async () => {
  verifies("platform:inbox:expiry");
  const { clock, startExpirer, lose, ask, answers, waits, inboxStore, audited, table } = await startWorld({
    expiresAfterSeconds: DAY,
  });
  await ask();
  await waits();
  const lost = Promise.withResolvers<void>();
  const killed = Object.assign(Object.create(inboxStore), {
    listDue: inboxStore.listDue.bind(inboxStore),
    take: inboxStore.take.bind(inboxStore),
    settle: () => {
      lost.resolve();
      return new Promise<never>(() => {});
    },
  });
  lose(killed);
  clock.advance(DAY * 1000);
  await lost.promise;
  expect(await answers()).toHaveLength(1);
  startExpirer();
  clock.advance(30_000);
  await expect.poll(() => table.listKeys({ prefix: "entry/", limit: 10 })).toHaveLength(1);
  expect(await answers()).toHaveLength(1);
  // The lost gateway may have noted nothing, so that the other one does it again.
  expect(audited.map(({ subject }) => subject)).toEqual(["server:inbox", "server:inbox"]);
});

it("leaves a question alone that somebody has answered, and looks at a run that takes long again", async () => {
  verifies("platform:inbox:expiry");
  const { clock, startExpirer, ask, answers, waits, deps, table } = await startWorld({ expiresAfterSeconds: 60 });
  await ask();
  await waits();
  const functionResponse = { id: "c1", name: CONFIRMATION_CALL, response: { confirmed: true } };
  const newMessage = { role: "user", parts: [{ functionResponse }] };
  await deps.runnerService.startRun({ session: SESSION, request: { newMessage } });
  await expect.poll(answers).toHaveLength(1);
  startExpirer();
  clock.advance(60_000);
  await expect.poll(() => table.listKeys({ prefix: "", limit: 10 })).toEqual([]);
  expect(await answers()).toHaveLength(1);
});

it("ends the run in place of an approval if the API key that started it is gone", async () => {
  verifies("platform:inbox:expiry");
  const keys = { callerOfId: async () => undefined } as unknown as ManagedKeys;
  const inbox: AppInbox = { expiresAfterSeconds: 60, onExpiry: "approve" };
  const { clock, startExpirer, ask, answers, waits } = await startWorld(inbox, keys);
  await ask("k1");
  await waits();
  startExpirer();
  clock.advance(60_000);
  await expect.poll(answers).toMatchObject([{ endsInvocation: true, isExpired: true, keyId: "k1" }]);
});

/** An agent that asks whether it may clear a list, or asks a person for the weather. */
function createDesk(done: unknown[]) {
  return new LlmAgent({
    name: "desk",
    model: thinking(({ contents }) => {
      const last = contents.at(-1)?.parts?.at(-1);
      if (last?.text === "clear") return functionCallResponse("clear", {}, "clear-1");
      if (last?.text === "weather") return functionCallResponse("ask_weather", {}, "weather-1");
      return `it says ${JSON.stringify(last?.functionResponse?.response)}`;
    }),
    tools: [
      new FunctionTool({
        name: "clear",
        description: "Clears a list.",
        requireConfirmation: true,
        execute: () => {
          done.push("cleared");
          return { cleared: true };
        },
      }),
      new LongRunningFunctionTool({ name: "ask_weather", description: "Asks a person.", execute: () => undefined }),
    ],
  });
}

async function startDesk(inbox: AppInbox) {
  const done: unknown[] = [];
  const agentLoader = new StaticAgentLoader([createApp({ name: "app", rootAgent: createDesk(done), inbox })]);
  const world = await startServerWorld({ agentLoader, settings: { INBOX: "memory" } });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const runs = async () => {
    const { text } = await world.send("GET", "/v1/runs?appName=app");
    const { runs: listed } = JSON.parse(text) as { readonly runs: readonly JsonObject[] };
    return listed.map(({ status, error }) => [status, error].flat().filter((part) => part !== undefined));
  };
  return { ...world, done, runs };
}

it("declines, approves or ends a run of a real agent, as its app says", async () => {
  verifies("platform:inbox:expiry");
  const rejected = await startDesk({ expiresAfterSeconds: 1 });
  await rejected.say("clear");
  await expect.poll(rejected.runs).toEqual([["succeeded"], ["awaiting_input"]]);
  expect(rejected.done).toEqual([]);

  const approved = await startDesk({ expiresAfterSeconds: 1, onExpiry: "approve" });
  await approved.say("clear");
  await expect.poll(() => approved.done).toEqual(["cleared"]);
  await expect.poll(approved.runs).toEqual([["succeeded"], ["awaiting_input"]]);
  await approved.say("weather");
  await expect.poll(approved.stored).toContain('desk: it says {"error":"Nobody answered in time."}');

  const failed = await startDesk({ expiresAfterSeconds: 1, onExpiry: "fail" });
  await failed.say("weather");
  const entries = JSON.parse((await failed.send("GET", "/v1/inbox")).text);
  expect(entries).toMatchObject({ entries: [{ onExpiry: "fail" }] });
  const [{ waitingSince, expiresAt }] = entries.entries;
  expect(expiresAt - waitingSince).toBe(1000);
  await expect
    .poll(failed.runs)
    .toEqual([
      ["failed", expect.objectContaining({ code: "DEADLINE_EXCEEDED", reason: "INPUT_EXPIRED" })],
      ["awaiting_input"],
    ]);
  expect(JSON.parse((await failed.send("GET", "/v1/inbox")).text)).toMatchObject({ entries: [] });
});
