import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSqliteStores } from "#adapters/index.ts";
import { SqliteSessionStore } from "#adapters/sqlite/sessions/sqlite-session-store.ts";
import { createApp } from "#kit/core/app.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryIdempotencyStore } from "#ports/idempotency/in-memory-idempotency-store.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { InMemoryTraceStore } from "#ports/runs/in-memory-trace-store.ts";
import { createServer, type ServerOptions, type ServerStores, serverConfigFrom } from "#services/standalone/index.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { messageTo, scriptedAgent } from "#test/helpers/worlds/mounted-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const SESSION = "/apps/echo/users/u/sessions/s";

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "embedded-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function sqliteStores(folder: string): ServerStores {
  const store = new SqliteSessionStore({ folder, clock: systemClock, ids: new UuidV7Generator() });
  return { sessionService: store, runJournal: store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

async function ask(url: string, method = "GET", body?: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method, ...(body !== undefined && { headers, body: JSON.stringify(body) }) });
  return response.json();
}

describe("agents", () => {
  it("are a list of agents and apps, which are served under their own names", async () => {
    verifies("platform:embedded:options", "what-the-service-does:static-loader");
    const agents = [scriptedAgent(), createApp({ name: "shop", rootAgent: scriptedAgent(["sold"], "seller") })];
    await using server = await createServer({ agents });
    const url = await server.listen({ port: 0 });
    expect(await ask(`${url}/list-apps`)).toEqual(["echo", "shop"]);
    await ask(`${url}/apps/shop/users/u/sessions/s`, "POST");
    expect(await ask(`${url}/run`, "POST", messageTo("shop"))).toMatchObject([{ author: "seller" }]);
  });

  it("come from a loader of the program, which returns an agent and has nothing to close", async () => {
    verifies("platform:embedded:options");
    const agent = scriptedAgent(["sold"], "seller");
    await using server = await createServer({
      agentLoader: { listAgents: () => ["shop"], loadAgent: (name) => (name === "shop" ? agent : undefined) },
    });
    const url = await server.listen({ port: 0 });
    expect(await ask(`${url}/list-apps`)).toEqual(["shop"]);
    await ask(`${url}/apps/shop/users/u/sessions/s`, "POST");
    expect(await ask(`${url}/run`, "POST", messageTo("shop"))).toMatchObject([{ author: "seller" }]);
    expect(await ask(`${url}/run`, "POST", messageTo("echo"))).toMatchObject({ reason: "APP_NOT_FOUND" });
  });

  it("are the folder of a path, by the loader of the settings", async () => {
    verifies("platform:embedded:options", "what-the-service-does:loader-setting");
    const folder = agentsFolder({
      "code/agent.js":
        'import { LlmAgent } from "fairlead/kit";\nexport const rootAgent = new LlmAgent({ name: "code" });\n',
      "plain/root_agent.yaml": "name: plain\nmodel: demo/chat\n",
    });
    const listed = async (options: ServerOptions): Promise<unknown> => {
      await using server = await createServer(options);
      return await ask(`${await server.listen({ port: 0 })}/list-apps`);
    };
    expect(await listed({ agents: folder.path })).toEqual(["code", "plain"]);
    expect(await listed({ agents: folder.path, config: { AGENTS_LOADER: "config" } })).toEqual(["plain"]);
    expect(await listed({ config: { AGENTS_LOADER: "compiled", SOURCE_DIR: folder.path } })).toEqual(["code"]);
  });

  it("are the exports of a module, as a list or a loader", async () => {
    verifies("what-the-service-does:loader-setting", "what-the-service-does:static-loader");
    const folder = agentsFolder({
      "list.js": `import { createApp } from "fairlead/adk";
import { LlmAgent } from "fairlead/kit";
const agent = (name) => new LlmAgent({ name, model: "demo/chat" });
export const agents = [agent("plain"), createApp({ name: "shop", rootAgent: agent("seller") })];`,
      "loader.js": `import { StaticAgentLoader } from "fairlead/definitions";
import { LlmAgent } from "fairlead/kit";
export const agentLoader = new StaticAgentLoader([new LlmAgent({ name: "own", model: "demo/chat" })]);`,
      "plain.js": `import { LlmAgent } from "fairlead/kit";
const agent = new LlmAgent({ name: "bare", model: "demo/chat" });
export const agentLoader = { listAgents: () => ["bare"], loadAgent: () => agent };`,
      "none.js": "export const agent = 5;",
      "wrong.js": "export const agents = [{ name: 'x' }];",
      "half.js": "export const agentLoader = { listAgents() {} };",
    });
    const listed = async (module: string): Promise<unknown> => {
      const config = { AGENTS_LOADER: "static", AGENTS_MODULE: module && join(folder.path, module) } as const;
      await using server = await createServer({ config });
      return await ask(`${await server.listen({ port: 0 })}/list-apps`);
    };
    expect(await listed("list.js")).toEqual(["plain", "shop"]);
    expect(await listed("loader.js")).toEqual(["own"]);
    expect(await listed("plain.js")).toEqual(["bare"]);
    await expect(listed("none.js")).rejects.toThrow(
      'none.js exports no agents: export a list "agents", or an "agentLoader".',
    );
    await expect(listed("wrong.js")).rejects.toThrow(
      'wrong.js exports "agents", whose [0] is neither an agent nor an app',
    );
    await expect(listed("half.js")).rejects.toThrow(
      'half.js exports "agentLoader", which lacks listAgents or loadAgent.',
    );
    await expect(listed("lost.js")).rejects.toThrow(/There is no file ".*lost\.js"\. Name it with --agents-module/);
    await expect(listed("")).rejects.toThrow("AGENTS_LOADER=static needs a module. Name it with --agents-module");
  });
});

describe("settings", () => {
  it("are values of their types, and all problems are reported together", async () => {
    verifies("platform:embedded:options");
    const config = {
      PORT: "80",
      MAX_BODY_BYTES: 5,
      CORS_ORIGINS: ["https://a.example", 3],
      ON_DISCONNECT: "stop",
      DEV_UY: true,
      SESSION_STORE: "sqlite",
      LOG_LEVEL: "debug",
      REDIS_URL: "redis://x",
      SHUTDOWN_GRACE_MS: 5,
      OTEL_EXPORTER_OTLP_HEADERS: 7,
    };
    // As a program without types would pass them.
    const options = { config, stores: [{}, { sessionService: {} }] } as unknown as ServerOptions;
    const refusal: { problems?: readonly string[] } = await createServer(options).then(
      () => ({}),
      (error: { problems: readonly string[] }) => error,
    );
    expect(refusal.problems).toEqual([
      'PORT must be a whole number from 0 to 65535, not "80".',
      "MAX_BODY_BYTES must be a whole number of at least 1024, not 5.",
      "CORS_ORIGINS[1] must be a string, not 3.",
      'ON_DISCONNECT must be continue or cancel, not "stop".',
      "OTEL_EXPORTER_OTLP_HEADERS must be a string.",
      'DEV_UY is not a setting: did you mean "DEV_UI"?',
      "SESSION_STORE is not a setting of a server in a program: pass `stores`.",
      "LOG_LEVEL is not a setting of a server in a program: pass a `logger`.",
      "REDIS_URL is not a setting of a server in a program: pass a `runStream`.",
      "SHUTDOWN_GRACE_MS is not a setting of a server in a program: wait before you close the server.",
      "stores[0] has no store: give one of sessionService, runJournal, artifactService, memoryService, evalStore, credentialService, evalJobStore, keyStore.",
      "stores.runJournal is missing: sessions and the journal of their runs come from one store.",
      "agents is missing: give a list of agents, the path of their folder, or an agentLoader.",
    ]);
  });

  it.each([
    [{ agents: "a", config: { AGENTS_DIR: "b" } }, "agents and config.AGENTS_DIR are given: keep one."],
    [{ agents: [], config: { AGENT_EDITOR: true } }, "AGENT_EDITOR is on, and needs the path of a folder as agents."],
    [{ agents: "/nowhere" }, 'There is no folder "/nowhere".'],
    [{ agents: [], config: { CORS_ORIGINS: ["regex:("] } }, 'CORS_ORIGINS: "regex:(" is not a regular expression.'],
    [{ agents: [], config: { MAX_BODY_BYTES_IN_FLIGHT: 1024 } }, "MAX_BODY_BYTES_IN_FLIGHT is 1024, less than the"],
  ] as const)("refuse %j", async (options, message) => {
    verifies("platform:embedded:options");
    await expect(createServer(options)).rejects.toThrow(message);
  });

  it("are read from an environment only when the program asks", async () => {
    verifies("platform:embedded:options", "platform:embedded:quiet");
    vi.stubEnv("DEFAULT_APP_NAME", "echo");
    vi.stubEnv("PORT", "not a port");
    onTestFinished(() => void vi.unstubAllEnvs());
    const appInfo = async (config: ServerOptions["config"]): Promise<unknown> => {
      await using server = await createServer({ agents: [scriptedAgent()], config });
      return await ask(`${await server.listen({ port: 0 })}/app-info`);
    };
    expect(await appInfo({})).toMatchObject({ status: 404 });
    expect(() => serverConfigFrom(process.env)).toThrow(
      'PORT must be a whole number from 0 to 65535, not "not a port".',
    );
    expect(await appInfo({ ...serverConfigFrom({ ...process.env, PORT: "1" }), PORT: 0 })).toMatchObject({
      name: "echo",
    });
  });

  it("leave out pages for people unless they are asked for", async () => {
    verifies("platform:embedded:quiet");
    const statuses = async (config: ServerOptions["config"]): Promise<number[]> => {
      await using server = await createServer({ agents: [scriptedAgent()], config });
      const url = await server.listen({ port: 0 });
      return await Promise.all(["/dev-ui", "/console"].map(async (path) => (await fetch(url + path)).status));
    };
    expect(await statuses({})).toEqual([404, 404]);
    expect(await statuses({ DEV_UI: true, CONSOLE: true })).toEqual([200, 200]);
  });
});

describe("a server in a program", () => {
  it("listens at the given address, also after one that cannot be opened, and not twice", async () => {
    verifies("platform:embedded:options");
    await using first = await createServer({ agents: [scriptedAgent()] });
    const { port } = new URL(await first.listen({ port: 0 }));
    await using second = await createServer({ agents: [scriptedAgent()], config: { PORT: Number(port) } });
    await expect(second.listen()).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use.`);
    const url = await second.listen({ host: "localhost", port: 0 });
    expect(await ask(`${url}/ready`)).toEqual({ status: "ready" });
    await expect(second.listen({ port: 0 })).rejects.toThrow("The server listens or is mounted already");
  });

  it.each([
    [{ ERROR_DETAIL: "full" }, "ERROR_DETAIL is full, and other machines reach 0.0.0.0"],
    [{ AGENT_EDITOR: true }, "AGENT_EDITOR is on and HOST is 0.0.0.0"],
  ] as const)("does not show %j to other machines", async (config, message) => {
    verifies("platform:embedded:refused");
    await using server = await createServer({ agents: agentsFolder({}).path, config });
    await expect(server.listen({ host: "0.0.0.0", port: 0 })).rejects.toThrow(message);
    expect(await ask(`${await server.listen({ port: 0 })}/health`)).toEqual({ status: "ok" });
  });

  it("shares nothing with another one", async () => {
    verifies("platform:embedded:several");
    const [first, second] = await Promise.all(
      ["one", "two"].map((text) => createServer({ agents: [scriptedAgent([text])] })),
    );
    await using one = first!;
    await using two = second!;
    const urls = await Promise.all([one, two].map((server) => server.listen({ port: 0 })));
    await ask(`${urls[0]}${SESSION}`, "POST");
    expect(await ask(`${urls[0]}/run`, "POST", messageTo("echo"))).toMatchObject([
      { content: { parts: [{ text: "one" }] } },
    ]);
    expect(await ask(`${urls[1]}${SESSION}`)).toMatchObject({ reason: "SESSION_NOT_FOUND" });
    await one.close();
    await ask(`${urls[1]}${SESSION}`, "POST");
    expect(await ask(`${urls[1]}/run`, "POST", messageTo("echo"))).toMatchObject([
      { content: { parts: [{ text: "two" }] } },
    ]);
  });

  it("writes nothing, and listens to no signals", async () => {
    verifies("platform:embedded:quiet");
    const writes = [vi.spyOn(process.stdout, "write"), vi.spyOn(process.stderr, "write")];
    onTestFinished(() => writes.forEach((write) => void write.mockRestore()));
    const files = readdirSync(".");
    const listeners = (): number[] =>
      ["SIGTERM", "SIGINT", "SIGUSR2", "exit", "beforeExit", "uncaughtException", "unhandledRejection"].map((event) =>
        process.listenerCount(event),
      );
    const before = listeners();
    await using server = await createServer({ agents: [scriptedAgent([new Error("broken")])] });
    const url = await server.listen({ port: 0 });
    await ask(`${url}${SESSION}`, "POST");
    await ask(`${url}/run`, "POST", messageTo("echo"));
    await server.close();
    expect(listeners()).toEqual(before);
    expect(writes.map(({ mock }) => mock.calls)).toEqual([[], []]);
    expect(readdirSync(".")).toEqual(files);
  });

  it("logs to the program's logger, without credentials", async () => {
    verifies("platform:embedded:quiet");
    const { lines, ...logger } = Object.assign(new RecordingLogger());
    const agents = [scriptedAgent([new Error("refused: Authorization: Bearer abcdefghijklmnop")])];
    await using server = await createServer({
      agents,
      logger: { ...logger, isLevelEnabled: (level) => level !== "debug" },
    });
    const url = await server.listen({ port: 0 });
    await ask(`${url}${SESSION}`, "POST");
    await ask(`${url}/run`, "POST", messageTo("echo"));
    expect(lines.map(({ level }: { level: string }) => level)).toContain("error");
    expect(lines.map(({ level }: { level: string }) => level)).not.toContain("debug");
    expect(JSON.stringify(lines)).not.toContain("abcdefghijklmnop");
  });
});

describe("stores", () => {
  it("of SQLite keep sessions for the next server, and are closed by the first", async () => {
    verifies("platform:embedded:stores");
    const folder = temporaryFolder();
    const serve = async (work: (url: string) => Promise<unknown>): Promise<unknown> => {
      await using server = await createServer({ agents: [scriptedAgent()], stores: sqliteStores(folder) });
      return await work(await server.listen({ port: 0 }));
    };
    await serve(async (url) => {
      await ask(`${url}${SESSION}`, "POST");
      await ask(`${url}/run`, "POST", messageTo("echo"));
    });
    expect(await serve((url) => ask(`${url}${SESSION}`))).toMatchObject({
      events: [{ author: "user" }, { author: "echo" }],
    });
  });

  it("of which two have the same member, the later one's counts", async () => {
    verifies("platform:embedded:stores");
    const first = new InMemoryArtifactService({ clock: systemClock });
    const second = new InMemoryArtifactService({ clock: systemClock });
    const stores = [{ artifactService: first }, { artifactService: second }];
    await using server = await createServer({ agents: [scriptedAgent()], stores });
    const url = await server.listen({ port: 0 });
    await ask(`${url}${SESSION}`, "POST");
    await ask(`${url}${SESSION}/artifacts`, "POST", { filename: "a.txt", artifact: { text: "note" } });
    const key = { appName: "echo", userId: "u", id: "s" };
    const names = await Promise.all([first, second].map((store) => store.listArtifactKeys(key)));
    expect(names.map(({ filenames }) => filenames)).toEqual([[], ["a.txt"]]);
  });

  it("of one process continue the runs of the one before at the start", async () => {
    verifies("platform:embedded:stores", "platform:embedded:close");
    const folder = temporaryFolder();
    const held = heldStep();
    const config = { SHUTDOWN_DRAIN_MS: 0 };
    const lost = await createServer({ agents: [scriptedAgent([held.step])], stores: sqliteStores(folder), config });
    const before = await lost.listen({ port: 0 });
    await ask(`${before}${SESSION}`, "POST");
    const { runId } = (await ask(`${before}/v1/runs`, "POST", messageTo("echo"))) as { runId: string };
    await held.begun;
    await lost.close();
    const stores = sqliteStores(folder);
    await using server = await createServer({ agents: [scriptedAgent(["after"])], stores, sharedStores: false });
    const url = await server.listen({ port: 0 });
    await (await fetch(`${url}/v1/runs/${runId}/stream`)).text();
    expect(await ask(`${url}/v1/runs/${runId}`)).toMatchObject({ status: "succeeded" });
  });

  it("are joined by a stream of the program, alone or with what processes share beside it", async () => {
    verifies("platform:embedded:stores");
    const parts = (ended: string[]) => {
      const runStream = new InMemoryRunStream({ clock: systemClock });
      const traceStore = new InMemoryTraceStore();
      const idempotencyStore = new InMemoryIdempotencyStore({ clock: systemClock });
      const transport = { runStream, traceStore, idempotencyStore, [Symbol.dispose]: () => void ended.push("closed") };
      return { runStream, traceStore, transport };
    };
    const ended: string[] = [];
    const { runStream: alone } = parts(ended);
    const { runStream, traceStore, transport } = parts(ended);
    for (const given of [alone, transport]) {
      await using server = await createServer({ agents: [scriptedAgent()], runStream: given });
      const url = await server.listen({ port: 0 });
      await ask(`${url}${SESSION}`, "POST");
      await ask(`${url}/run`, "POST", messageTo("echo"));
    }
    expect([alone.bytes > 0, runStream.bytes > 0, traceStore.size > 0, ended]).toEqual([true, true, true, ["closed"]]);
  });
});

describe("API keys", () => {
  it("are those of the stores, which the command manages beside the server", async () => {
    verifies("platform:embedded:options");
    const folder = temporaryFolder();
    const stores = await openSqliteStores({ folder });
    await using server = await createServer({ agents: [scriptedAgent()], stores, config: { AUTH: ["api-key"] } });
    const url = await server.listen({ port: 0 });
    await using command = new CliProcess(["keys", "create", "--name", "n", "--scopes", "ops", "--data-dir", folder]);
    await command.ended;
    const [key = ""] = /fl_\w+_[\w-]+/.exec(command.output) ?? [];
    const statuses = [key, "fl_wrong"].map(async (text) => {
      const { status } = await fetch(`${url}/list-apps`, { headers: { "x-api-key": text } });
      return status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 401]);
  });

  it("open no file where they are not used", async () => {
    const folder = temporaryFolder();
    await using server = await createServer({ agents: [scriptedAgent()], stores: await openSqliteStores({ folder }) });
    await server.listen({ port: 0 });
    expect(readdirSync(folder).filter((name) => name.startsWith("keys"))).toEqual([]);
  });

  it("must be in the stores if nothing else identifies callers", async () => {
    await expect(createServer({ agents: [scriptedAgent()], config: { AUTH: ["api-key"] } })).rejects.toThrow(
      "no object of stores has a keyStore",
    );
  });
});
