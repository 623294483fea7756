import { expect, it } from "vitest";
import { openSqliteStores } from "#adapters/sqlite/sqlite-stores.ts";
import { createApp } from "#kit/core/app.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { oldDataOf } from "#ports/tenants/old-data.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

const TASKS = 1_150;
/** The runs of one window. */
const WINDOW = 1_000;

interface Page {
  readonly tasks: readonly { readonly id: string; readonly status: { readonly timestamp: string } }[];
  readonly nextPageToken: string;
  readonly totalSize: number;
}

it("lists each of more tasks than a window has once, in each window those with the newest status first", async () => {
  const model = new ScriptedModel(Array.from({ length: TASKS + 1 }, () => "done"));
  const apps = [createApp({ name: "desk", rootAgent: new LlmAgent({ name: "desk", model }) })];
  const config = loadConfig(standaloneConfigSchema, {
    ...{ HOST: "127.0.0.1", PORT: "0", DATA_DIR: agentsFolder({}).path, SESSION_STORE: "memory", DEV_UI: "false" },
    A2A_APPS: "desk",
  });
  const logger = new RecordingLogger();
  await using server = await createStandalone({ config, agentLoader: new StaticAgentLoader(apps), logger });
  const headers = { "content-type": "application/json", "a2a-version": "1.0" };
  const send = async (index: number): Promise<void> => {
    const message = { messageId: `m-${index}`, contextId: `c-${index}`, role: "ROLE_USER", parts: [{ text: "go" }] };
    const init = { method: "POST", headers, body: JSON.stringify({ message }) };
    expect((await fetch(`${server.url}/a2a/desk/message:send`, init)).status).toBe(200);
  };
  for (let index = 0; index < TASKS; index += 50)
    await Promise.all(Array.from({ length: 50 }, (_, more) => send(index + more)));

  const pages: Page[] = [];
  let pageToken = "";
  do {
    const query = new URLSearchParams({ pageSize: "100", pageToken });
    const page = (await (await fetch(`${server.url}/a2a/desk/tasks?${query}`, { headers })).json()) as Page;
    pages.push(page);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");

  const tasks = pages.flatMap((page) => page.tasks);
  expect(tasks).toHaveLength(TASKS);
  expect(new Set(tasks.map(({ id }) => id)).size).toBe(TASKS);
  for (const window of [tasks.slice(0, WINDOW), tasks.slice(WINDOW)]) {
    const times = window.map(({ status }) => Date.parse(status.timestamp));
    expect(times).toEqual(times.toSorted((one, other) => other - one));
  }
  expect(pages.map(({ totalSize }) => totalSize)).toEqual([...Array(10).fill(WINDOW), 150, 150]);
}, 120_000);

/** Asks, and is content with any answer. */
class Asking extends BaseAgent {
  protected async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    const isAsked = context.userContent?.parts?.[0]?.text === "ask";
    const part: Part = isAsked ? { functionCall: { id: "c1", name: "ask_user", args: {} } } : { text: "Thanks." };
    const content = { role: "model", parts: [part] };
    yield context.createEvent({ content, ...(isAsked && { longRunningToolIds: ["c1"] }) });
  }
}

it("leaves out a task whose answers were deleted by their age before its first run", async () => {
  verifies("retention:resumes");
  const { path } = agentsFolder({});
  const settings = { HOST: "127.0.0.1", PORT: "0", DATA_DIR: path, DEV_UI: "false", A2A_APPS: "desk" };
  const config = loadConfig(standaloneConfigSchema, settings);
  const agentLoader = new StaticAgentLoader([createApp({ name: "desk", rootAgent: new Asking({ name: "desk" }) })]);
  const start = () => createStandalone({ config, agentLoader, logger: new RecordingLogger() });
  const headers = { "content-type": "application/json", "a2a-version": "1.0" };
  const send = async (url: string, text: string, rest: object) => {
    const message = { messageId: text, role: "ROLE_USER", parts: [{ text }], ...rest };
    const body = JSON.stringify({ message });
    const answer = await fetch(`${url}/a2a/desk/message:send`, { method: "POST", headers, body });
    return ((await answer.json()) as { readonly task: { readonly id: string; readonly contextId: string } }).task;
  };
  const ids = async (url: string) => {
    const answer = await fetch(`${url}/a2a/desk/tasks`, { headers });
    return [answer.status, ((await answer.json()) as Page).tasks?.map(({ id }) => id)];
  };
  const kept: string[] = [];
  {
    await using server = await start();
    const { id: taskId, contextId } = await send(server.url, "ask", {});
    await send(server.url, "blue", { taskId, contextId });
    kept.push((await send(server.url, "hello", {})).id);
    expect(await ids(server.url)).toEqual([200, expect.arrayContaining([taskId, ...kept])]);
  }
  {
    await using stores = await openSqliteStores({ folder: path });
    const { runs } = await stores.runJournal.list({ appName: "desk" });
    const answer = runs.find(({ request }) => request.newMessage?.parts?.some((part) => part.functionResponse));
    const { appName, userId, id: sessionId } = answer!.session;
    const items = [{ sessionId, id: answer!.runId }];
    const old = oldDataOf(stores.sessionService);
    expect(await old.deleteOldData({ appName, userId, items, before: Date.now() + 1000 })).toBe(1);
  }
  await using server = await start();
  expect(await ids(server.url)).toEqual([200, kept]);
}, 60_000);
