import { expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
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
