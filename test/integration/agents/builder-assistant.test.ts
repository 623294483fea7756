import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { defaultModelRegistry } from "#kit/models/registry/model-registry.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/index.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { openAgents } from "#services/standalone/run-standalone.ts";
import { BUILDER_ASSISTANT } from "#shared/agents/editor/editor-settings.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { startOneProcess } from "#test/integration/access/one-process-server.ts";

afterEach(() => vi.unstubAllEnvs());

const SHOP = "name: shop\nmodel: demo/chat\ninstruction: Sell.\n";
const POET = "name: poet\nmodel: demo/chat\ninstruction: Write a poem.\n";

interface EventOfRun {
  readonly errorCode?: string;
  readonly content?: { readonly parts?: readonly { readonly text?: string; readonly functionResponse?: unknown }[] };
}

/** A server with the editor on, and what its folder has. */
async function startServer(settings: Readonly<Record<string, string>> = {}) {
  const folder = agentsFolder({ "shop/root_agent.yaml": SHOP });
  const config = loadConfig(standaloneConfigSchema, {
    PORT: "0",
    DATA_DIR: agentsFolder({}).path,
    AGENTS_DIR: folder.path,
    AGENT_EDITOR: "true",
    DEV_UI: "false",
    CONSOLE: "false",
    ...settings,
  });
  const logger = new RecordingLogger();
  const standalone = await createStandalone({ config, logger, ...(await openAgents(config, logger)) });
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    return fetch(standalone.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  };
  const run = async (appName: string, text: string, state: object = {}): Promise<readonly EventOfRun[]> => {
    const session = (await (await post(`/apps/${appName}/users/user/sessions`, {})).json()) as { readonly id: string };
    const newMessage = { role: "user", parts: [{ text }] };
    const request = { appName, userId: "user", sessionId: session.id, newMessage, stateDelta: state };
    return (await post("/run", request)).json() as Promise<readonly EventOfRun[]>;
  };
  return {
    [Symbol.asyncDispose]: () => standalone[Symbol.asyncDispose](),
    folder: folder.path,
    files: () =>
      readdirSync(folder.path, { recursive: true })
        .map(String)
        .filter((name) => /\./.test(name.slice(1)))
        .sort(),
    draft: (path: string) => readFileSync(join(folder.path, path), "utf8"),
    post,
    run,
    apps: async () => (await fetch(`${standalone.url}/list-apps`)).json(),
    save: async (app: string, text: string, query = "") => {
      const form = new FormData();
      form.append("files", new File([text], `${app}/root_agent.yaml`));
      return (await fetch(`${standalone.url}/dev/apps/${app}/builder/save${query}`, { method: "POST", body: form }))
        .status;
    },
  };
}

const textOf = (events: readonly EventOfRun[]): string =>
  events
    .flatMap(({ content }) => content?.parts ?? [])
    .map(({ text = "" }) => text)
    .join("");

/** A server whose assistant answers with the steps. */
function withAssistant(...steps: readonly ScriptedStep[]) {
  defaultModelRegistry.register("house-editor", new ScriptedModel(steps));
  return startServer({ EDITOR_MODEL: "house-editor" });
}

const save = (path: string, text: string) =>
  functionCallResponse("save_definitions", { files: [{ path, text }] }, "c1");
const ABOUT_SHOP = { root_directory: "shop/tmp/shop" };

describe("a draft of a new app", () => {
  it("is listed and answers while it is a draft, then as a saved app, and is gone when it is dropped", async () => {
    verifies("peers:editor:drafts");
    await using server = await startServer();
    expect(await server.save("poet", POET, "?tmp=true")).toBe(200);
    expect(await server.apps()).toEqual(["poet", "shop"]);
    expect(textOf(await server.run("poet", "Hello"))).toContain("(demo model) You said: “Hello”");
    expect(await server.save("poet", POET.replace("a poem", "an ode"))).toBe(200);
    expect(server.files()).toEqual(["poet/root_agent.yaml", "shop/root_agent.yaml"]);
    expect(await server.apps()).toEqual(["poet", "shop"]);
    await server.save("ode", POET, "?tmp=true");
    await server.post("/dev/apps/ode/builder/cancel", {});
    expect([await server.apps(), server.files()]).toEqual([
      ["poet", "shop"],
      ["poet/root_agent.yaml", "shop/root_agent.yaml"],
    ]);
  });

  it("hides no apps in the folders below it", async () => {
    await using server = await startServer();
    await server.save("desk.sales", POET);
    await server.save("desk", POET, "?tmp=true");
    expect(await server.apps()).toEqual(["desk", "desk.sales", "shop"]);
  });

  it("changes nothing in the app that has a file of its own", async () => {
    verifies("peers:editor:drafts");
    await using server = await startServer();
    expect(await server.save("shop", SHOP.replace("demo/chat", "demo/artist"), "?tmp=true")).toBe(200);
    expect(textOf(await server.run("shop", "Hello"))).toContain("You said: “Hello”");
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["a script without a key", {}, "demo/chat"],
    ["the model of a provider whose key is set", { ANTHROPIC_API_KEY: "k" }, "claude-sonnet-5-5"],
    ["a newer model of the UI's provider", { GOOGLE_API_KEY: "k" }, "gemini-3.8-flash"],
  ])("gets %s in place of the UI's model", async (_, environment, model) => {
    verifies("peers:editor:drafts");
    for (const name of ["GOOGLE_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"])
      vi.stubEnv(name, environment[name] ?? "");
    await using server = await startServer();
    const text = POET.replace("demo/chat", "gemini-2.5-flash");
    await server.save("poet", text, "?tmp=true");
    expect(server.draft("poet/.draft/root_agent.yaml")).toContain(`model: ${model}\n`);
    await server.save("shop", SHOP.replace("demo/chat", "gemini-2.5-flash"));
    // The app has the agent already: its author has chosen the model.
    expect(server.draft("shop/root_agent.yaml")).toContain("model: gemini-2.5-flash\n");
  });
});

describe("the assistant of the editor", () => {
  it("says what to set while it has no model, and is in no list", async () => {
    verifies("peers:editor:assistant");
    await using server = await startServer();
    expect(textOf(await server.run(BUILDER_ASSISTANT, "hello", ABOUT_SHOP))).toContain("Set EDITOR_MODEL");
    expect(await server.apps()).toEqual(["shop"]);
  });

  it("greets without a call of its model, and writes the draft of its conversation's app", async () => {
    verifies("peers:editor:assistant");
    await using server = await withAssistant(
      functionCallResponse("read_definitions", {}, "c0"),
      {
        content: {
          role: "model",
          parts: [{ text: "Let me see." }, ...(save("root_agent.yaml", POET).content?.parts ?? [])],
        },
      },
      "I wrote a poet.",
    );
    expect(textOf(await server.run(BUILDER_ASSISTANT, "hello", ABOUT_SHOP))).toContain(
      "Tell me what your agent should do",
    );
    const events = await server.run(BUILDER_ASSISTANT, "Make it a poet", ABOUT_SHOP);
    // The UI shows the first text and no other.
    expect(textOf(events)).toBe("I wrote a poet.");
    expect(JSON.stringify(events)).toContain("Sell.");
    expect(server.draft("shop/.draft/root_agent.yaml")).toBe(POET);
    expect(server.draft("shop/root_agent.yaml")).toBe(SHOP);
  });

  it.each<[string, string, string, string]>([
    [
      "a tool server",
      "root_agent.yaml",
      `${SHOP}tools:\n  - name: McpToolset\n    args: { command: sh }\n`,
      "cannot be saved over HTTP",
    ],
    ["a model's address", "root_agent.yaml", `${SHOP}model_code: { name: X, args: [] }\n`, "cannot be saved over HTTP"],
    [
      "an agent of another server",
      "root_agent.yaml",
      "name: shop\nagent_class: RemoteA2AAgent\nagent_card: http://x.example\n",
      "over HTTP",
    ],
    ["code", "components.ts", "export const x = 1;", "is no .yaml or .yml file"],
    ["the app's settings", "app.yaml", "plugins: []\n", "holds the app's settings"],
    ["another app", "../poet/root_agent.yaml", POET, "is no .yaml or .yml file inside the app's folder"],
    ["a file of the system", "/etc/agent.yaml", POET, "is no .yaml or .yml file inside the app's folder"],
  ])("cannot write %s, and is told why", async (_, path, text, problem) => {
    verifies("peers:editor:assistant");
    await using server = await withAssistant(save(path, text), "It was refused.");
    const events = await server.run(BUILDER_ASSISTANT, "Do it", ABOUT_SHOP);
    expect(JSON.stringify(events)).toContain(problem);
    expect(textOf(events)).toBe("It was refused.");
    expect(server.files()).toEqual(["shop/root_agent.yaml"]);
  });

  it.each(["../tmp/..", "shop/../shop", "a/b", "", "shop/tmp/poet", ".draft/tmp/.draft"])(
    "writes nothing for a conversation about %j",
    async (folder) => {
      await using server = await withAssistant(save("root_agent.yaml", POET), "No.");
      const events = await server.run(BUILDER_ASSISTANT, "Do it", { root_directory: folder });
      expect(JSON.stringify(events)).toMatch(/is about no app|is not an app name/);
      expect(server.files()).toEqual(["shop/root_agent.yaml"]);
    },
  );

  it("answers with the model's failure, and with words where the model says nothing", async () => {
    await using server = await withAssistant(new Error("secret text"), { content: { role: "model", parts: [] } });
    expect(textOf(await server.run(BUILDER_ASSISTANT, "Do it", ABOUT_SHOP))).toMatch(
      /^The model house-editor .*cannot be used/,
    );
    expect(textOf(await server.run(BUILDER_ASSISTANT, "Do it", ABOUT_SHOP))).toContain("gave no answer");
  });
});

describe("the assistant's callers", () => {
  const CREATE = { method: "POST", url: `/apps/${BUILDER_ASSISTANT}/users/user/sessions` } as const;
  const RUN = {
    method: "POST",
    url: "/run",
    payload: {
      appName: BUILDER_ASSISTANT,
      userId: "user",
      sessionId: "s",
      newMessage: { role: "user", parts: [{ text: "x" }] },
    },
  } as const;

  it.each([
    ["without apps:edit", 403],
    ["eve", 403],
    ["outsider", 404],
    ["twin", 404],
    ["foreignAdmin", 404],
    ["anonymous", 401],
  ] as const)("are not %s", async (caller, status) => {
    verifies("peers:editor:assistant");
    await using server = await startOneProcess({ AGENT_EDITOR: "true", MCP_APPS: "*", A2A_APPS: "*" });
    expect((await server.send(CREATE, caller)).status).toBe(String(status));
    expect((await server.send(RUN, caller)).status).toBe(String(status));
    expect((await server.send({ ...RUN, url: "/run_sse" }, caller)).status).toBe(String(status));
  });

  it("are the ones who may edit, under their own names, and their conversation is theirs", async () => {
    await using server = await startOneProcess({ AGENT_EDITOR: "true", MCP_APPS: "*", A2A_APPS: "*" });
    const created = JSON.parse((await server.send(CREATE, "owner")).text);
    expect(created).toMatchObject({ userId: "me", appName: BUILDER_ASSISTANT });
    const run = { ...RUN, payload: { ...RUN.payload, sessionId: created.id } };
    expect((await server.send(run, "owner")).text).toContain("Set EDITOR_MODEL");
    const card = await server.send(
      { method: "GET", url: `/a2a/${BUILDER_ASSISTANT}/.well-known/agent-card.json` },
      "owner",
    );
    expect(card.status).toBe("404");
  });

  it("do not exist where the server has no editor", async () => {
    await using server = await startServer({ AGENT_EDITOR: "false" });
    expect((await server.post(CREATE.url, {})).status).toBe(404);
    expect((await server.post("/run", RUN.payload)).status).toBe(404);
  });
});
