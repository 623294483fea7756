import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { textOf } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { CONFIRMATION_CALL } from "#kit/events/reserved-calls.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { freePorts } from "#tooling/free-ports.ts";
import { AGENTS } from "./sample-conversations.ts";

/** A server with the sample agents, which offers two of them to the third. */
async function startSamples(settings: Readonly<Record<string, string>>): Promise<string> {
  const [port] = await freePorts(1);
  const folder = mkdtempSync(join(tmpdir(), "office-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  vi.stubEnv("PEER_URL", `http://localhost:${port}`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const config = loadConfig(standaloneConfigSchema, {
    ...{ HOST: "127.0.0.1", PORT: String(port), DATA_DIR: folder, SESSION_STORE: "memory", DEV_UI: "false" },
    ...{ AUTO_CREATE_SESSION: "true", OUTBOUND_ALLOWED_HOSTS: `localhost:${port}`, ...settings },
  });
  const agentLoader = new DirectoryAgentLoader({ directory: AGENTS, hotReload: false });
  const server = await createStandalone({ config, agentLoader, logger: new RecordingLogger() });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.url;
}

async function say(url: string, part: object): Promise<readonly Event[]> {
  const response = await fetch(`${url}/run`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ appName: "front_office", userId: "me", sessionId: "s" },
      newMessage: { role: "user", parts: [part] },
    }),
  });
  return (await response.json()) as readonly Event[];
}

it("hands questions to two agents by the Agent2Agent protocol, and passes on what one of them asks", async () => {
  verifies("platform:a2a:clients");
  const url = await startSamples({ A2A_APPS: "weather,expenses" });
  const told = await say(url, { text: "What is the weather in Paris?" });
  expect(told.at(-1)?.author).toBe("forecaster");
  expect(told.map(({ content }) => textOf(content)).join()).toMatch(/in Paris, at /);
  // The first event names the peer, and the other side knows who has asked.
  const metadata = told.map(({ customMetadata }) => customMetadata).find((each) => each !== undefined);
  const runs = await fetch(`${url}/v1/runs?appName=weather`).then((response) => response.json());
  expect(metadata).toMatchObject({ "a2a:peer": `${url.replace("127.0.0.1", "localhost")}/a2a/weather` });
  expect(runs).toMatchObject({
    runs: [
      { runId: isJsonObject(metadata) ? metadata["a2a:task_id"] : "", a2aMessageId: expect.stringMatching(/^adk-/) },
    ],
  });
  const asked = await say(url, { text: "Reimburse 250 euros spent on a train ticket." });
  const call = asked.at(-1)?.content?.parts?.findLast(({ functionCall }) => functionCall !== undefined)?.functionCall;
  expect([asked.at(-1)?.author, call?.name]).toEqual(["accountant", CONFIRMATION_CALL]);
  const functionResponse = { id: call?.id, name: CONFIRMATION_CALL, response: { confirmed: true } };
  const paid = await say(url, { functionResponse });
  expect(paid.map(({ content }) => textOf(content)).join()).toContain("were approved and paid.");
});
