import { describe, expect, it } from "vitest";
import { VertexAiSessionService } from "#adapters/vertex/vertex-ai-session-service.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { modelContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { defaultModelRegistry } from "#kit/models/registry/model-registry.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { LoadMemoryTool } from "#kit/tools/load-memory-tool.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { FakeAgentPlatform } from "#test/fakes/agent-platform/fake-agent-platform.ts";
import { verifies } from "#test/helpers/verifies.ts";

const IN_MEMORY = {
  SESSION_STORE: "memory",
  ARTIFACT_STORE: "memory",
  MEMORY_STORE: "memory",
  EVAL_STORE: "memory",
  CREDENTIAL_STORE: "memory",
};
const PLACE = { VERTEX_PROJECT_ID: "acme", VERTEX_LOCATION: "us-central1", VERTEX_AGENT_ENGINE_ID: "1" };

type Settings = Readonly<Record<string, string>>;

function startServer(settings: Settings) {
  const config = loadConfig(standaloneConfigSchema, { PORT: "0", ...IN_MEMORY, ...settings });
  const search = functionCallResponse("load_memory", { query: "window" });
  const model = new ScriptedModel(["Noted.", ...(settings["MEMORY_FACTS_MODEL"] ? [search] : []), "Again."]);
  const agent = new LlmAgent({ name: "desk", model, tools: [new LoadMemoryTool()] });
  const agentLoader = new StaticAgentLoader([agent]);
  return createStandalone({ config, agentLoader, logger: silentLogger });
}

async function post(url: string, body: object, method = "POST") {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  const text = await answer.text();
  return text === "" ? undefined : JSON.parse(text);
}

/** A message of ada's, and the answer to it. */
function say(url: string, text: string) {
  const newMessage = { role: "user", parts: [{ text }] };
  return post(`${url}/run`, { appName: "desk", userId: "ada", sessionId: "talk", newMessage });
}

describe("a server on Google's Agent Platform", () => {
  it("keeps its sessions there too, takes over what others add, and its memory is Memory Bank", async () => {
    verifies("operations:session:managed");
    await using platform = await FakeAgentPlatform.start({ clock: systemClock });
    const settings = {
      MANAGED_SESSIONS: "vertex",
      MEMORY_STORE: "vertex",
      VERTEX_API_ENDPOINT: platform.url,
      ...PLACE,
    };
    await using server = await startServer(settings);
    const session = `${server.url}/apps/desk/users/ada/sessions/talk`;
    await post(session, {});
    await say(server.url, "I like seats at the window.");
    const place = { project: "acme", location: "us-central1", agentEngineId: "1", apiEndpoint: platform.url };
    await using other = new VertexAiSessionService(place);
    const key = { appName: "desk", userId: "ada", id: "talk" };
    const copy = await other.getSession(key);
    expect(copy?.events.map(({ content }) => content?.parts?.[0]?.text)).toEqual([
      "I like seats at the window.",
      "Noted.",
    ]);
    await other.appendEvents(
      key,
      [
        createEvent({
          id: "theirs",
          invocationId: "x",
          author: "user",
          timestamp: Date.now(),
          content: modelContent("And tea."),
        }),
      ],
      2,
    );
    await say(server.url, "What do I like?");
    const { events } = (await (await fetch(session)).json()) as { events: readonly Event[] };
    expect(events.map(({ content }) => content?.parts?.[0]?.text)).toEqual([
      ...["I like seats at the window.", "Noted.", "And tea."],
      ...["What do I like?", "Again."],
    ]);
    await post(`${server.url}/apps/desk/users/ada/memory`, { sessionId: "talk" }, "PATCH");
    expect(platform.lines).toContain("POST memories:generate");
  });

  it.each<[string, Settings, string]>([
    [
      "sessions without a project",
      { ...PLACE, VERTEX_PROJECT_ID: "", MANAGED_SESSIONS: "vertex" },
      "VERTEX_PROJECT_ID",
    ],
    [
      "memory without an engine",
      { ...PLACE, VERTEX_AGENT_ENGINE_ID: "", MEMORY_STORE: "vertex" },
      "VERTEX_AGENT_ENGINE_ID",
    ],
    [
      "an engine that is none",
      { ...PLACE, VERTEX_AGENT_ENGINE_ID: "desk=", MEMORY_STORE: "vertex" },
      "VERTEX_AGENT_ENGINE_ID",
    ],
    ["a location that is none", { ...PLACE, VERTEX_LOCATION: "US/1", MEMORY_STORE: "vertex" }, "VERTEX_LOCATION"],
    [
      "content that has to be encrypted",
      {
        ...PLACE,
        MANAGED_SESSIONS: "vertex",
        CONTENT_ENCRYPTION: "kms",
        CONTENT_KMS_KEY: "projects/a/locations/b/keyRings/c/cryptoKeys/{tenant}",
      },
      "CONTENT_ENCRYPTION=kms",
    ],
    [
      "a model for facts beside Memory Bank",
      { ...PLACE, MEMORY_STORE: "vertex", MEMORY_FACTS_MODEL: "demo/chat" },
      "MEMORY_FACTS_MODEL",
    ],
  ])("is refused with %s, by the setting's name", async (_, settings, name) => {
    // Thrown by the reader of settings, or when the stores are opened.
    const start = async () => await startServer(settings);
    await expect(start()).rejects.toThrow(name);
  });
});

it("keeps facts in a store of its own that a model has extracted", async () => {
  const facts = JSON.stringify({ facts: [{ fact: "Likes seats at the window.", lines: [1] }], forget: [] });
  defaultModelRegistry.register("house/facts", new ScriptedModel([facts]));
  await using server = await startServer({ MEMORY_FACTS_MODEL: "house/facts" });
  const session = `${server.url}/apps/desk/users/ada/sessions/talk`;
  await post(session, {});
  await say(server.url, "I like seats at the window.");
  await post(`${server.url}/apps/desk/users/ada/memory`, { sessionId: "talk" }, "PATCH");
  expect(JSON.stringify(await say(server.url, "Where do I sit?"))).toContain("Likes seats at the window.");
});
