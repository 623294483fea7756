import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "#kit/core/app.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { createLogger } from "#shared/logging/logger.ts";
import { KEY, PLACE, TEXT } from "#test/helpers/security/planted-secret.ts";
import { startTraceCollector } from "#test/helpers/servers/trace-collector.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";

const call = { content: { role: "model", parts: [{ functionCall: { name: "lookup", args: {} } }] } };
const loaderOf = (agent: LlmAgent, plugins: readonly Plugin[] = []): AgentLoader =>
  new StaticAgentLoader([createApp({ name: "app", rootAgent: agent, plugins })]);
const fail = (): never => {
  throw new Error(TEXT);
};
const agentWith = (tool: (args: unknown, context: ToolContext) => unknown, model = new ScriptedModel([call, "done"])) =>
  new LlmAgent({
    name: "app",
    model,
    tools: [
      new FunctionTool({ name: "lookup", description: "Looks up", parameters: { type: "object" }, execute: tool }),
    ],
  });

const failingModel: BaseLlm = { model: "failing", generateContentAsync: fail };

const SOURCES: readonly (readonly [string, () => AgentLoader])[] = [
  ["a model", () => loaderOf(new LlmAgent({ name: "app", model: failingModel }))],
  ["a callback", () => loaderOf(new LlmAgent({ name: "app", model: "demo/echo", beforeModelCallback: fail }))],
  [
    "a plugin",
    () =>
      loaderOf(new LlmAgent({ name: "app", model: new ScriptedModel(["hi"]) }), [{ name: "p", onEventCallback: fail }]),
  ],
  [
    "a plugin before the run",
    () =>
      loaderOf(new LlmAgent({ name: "app", model: new ScriptedModel(["hi"]) }), [
        { name: "p", beforeRunCallback: fail },
      ]),
  ],
  [
    "an agent's instruction",
    () => loaderOf(new LlmAgent({ name: "app", model: new ScriptedModel(["hi"]), instruction: fail })),
  ],
  [
    "an agent's file",
    () => {
      const { path } = agentsFolder({ "app/agent.ts": `throw new Error(${JSON.stringify(TEXT)});` });
      return new DirectoryAgentLoader({ directory: path });
    },
  ],
];

describe("an exception's text in the server's outputs", () => {
  it.each(SOURCES)(
    "is in the log without keys, and in no answer, event, record or span: %s",
    async (_source, loader) => {
      verifies("errors:http:no-internals");
      const { answers, log } = await collectOutputs(loader());
      for (const [name, text] of answers) {
        expect(text, name).not.toContain(KEY);
        expect(text, name).not.toContain(PLACE);
      }
      expect(log).not.toContain(KEY);
      expect(log).toContain(PLACE);
      expect(answers.get("/run")).toMatch(/The server's log has the details of (run|request) [\w-]+\./);
    },
  );

  it("reaches the model without keys when a tool throws it", async () => {
    verifies("errors:http:no-internals");
    const model = new ScriptedModel(Array.from({ length: 3 }, () => [call, "done"]).flat());
    const { answers, log } = await collectOutputs(loaderOf(agentWith(fail, model)));
    for (const [name, text] of answers) expect(text, name).not.toContain(KEY);
    expect(log).not.toContain(KEY);
    const prompts = JSON.stringify(model.requests.map(({ contents }) => contents));
    expect(prompts).toContain(`cannot read /srv/${PLACE}/keys.json with AWS_SECRET_ACCESS_KEY=[redacted]`);
    expect(prompts).not.toContain(KEY);
    // The call's answer is part of the session. Spans have no content.
    expect(answers.get("spans")).not.toContain(PLACE);
    expect(answers.get("/debug/trace/session/talk")).not.toContain(PLACE);
  });

  it("names no path of the store when a file cannot be read", async () => {
    verifies("errors:http:no-internals");
    const model = new ScriptedModel(Array.from({ length: 3 }, () => [call, "done"]).flat());
    const loader = loaderOf(agentWith((_args, context) => context.loadArtifact("broken.txt"), model));
    const { answers, log } = await collectOutputs(loader, { breakArtifact: true });
    for (const [name, text] of answers) expect(text, name).not.toContain(PLACE);
    expect(JSON.stringify(model.requests.map(({ contents }) => contents))).not.toContain(PLACE);
    expect(log).toContain(PLACE);
    expect(answers.get("the artifact")).toContain("STORE_UNAVAILABLE");
  });

  it("is shown with ERROR_DETAIL=full on loopback, without keys", async () => {
    verifies("errors:http:no-internals");
    const { answers } = await collectOutputs(SOURCES[0]?.[1]() as AgentLoader, { settings: { ERROR_DETAIL: "full" } });
    expect(answers.get("/run")).toContain(PLACE);
    for (const [name, text] of answers) expect(text, name).not.toContain(KEY);
  });

  it("is not shown with ERROR_DETAIL=full on another address", async () => {
    verifies("errors:http:no-internals");
    const settings = { ERROR_DETAIL: "full", HOST: "0.0.0.0", ALLOW_UNAUTHENTICATED: "true" };
    const { answers, log } = await collectOutputs(SOURCES[0]?.[1]() as AgentLoader, { settings });
    for (const [name, text] of answers) expect(text, name).not.toContain(PLACE);
    expect(log).toContain("ERROR_DETAIL=full is ignored");
  });
});

interface Outputs {
  /** Everything that a client or a collector got, by its source. */
  readonly answers: ReadonlyMap<string, string>;
  readonly log: string;
}

/** Starts one run by each route that starts runs, and then reads everything that can be read of them. */
async function collectOutputs(
  agentLoader: AgentLoader,
  { settings = {}, breakArtifact = false }: { settings?: Record<string, string>; breakArtifact?: boolean } = {},
): Promise<Outputs> {
  const parent = mkdtempSync(join(tmpdir(), "outputs-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, PLACE);
  mkdirSync(folder);
  await using collector = await startTraceCollector();
  const lines: string[] = [];
  const output = await createLogger({
    level: "debug",
    format: "json",
    destination: { write: (line) => void lines.push(line) },
  });
  const config = loadConfig(standaloneConfigSchema, {
    ...{
      PORT: "0",
      DATA_DIR: folder,
      DEV_UI: "false",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace("/v1/traces", ""),
    },
    ...settings,
  });
  const answers = new Map<string, string>();
  {
    await using server = await createStandalone({ config, agentLoader, logger: output.logger });
    const { gateway } = server;
    const send = async (method: "GET" | "POST" | "PUT", url: string, payload?: object): Promise<string> => {
      const response = await gateway.inject({ method, url, ...(payload !== undefined && { payload }) });
      const text = JSON.stringify([response.statusCode, response.headers, response.body]);
      answers.set(answers.has(url) ? `${method} ${url}` : url, text);
      return response.body;
    };
    const session = "/apps/app/users/ada/sessions/talk";
    await send("POST", session);
    if (breakArtifact) {
      await send("POST", `${session}/artifacts`, { filename: "broken.txt", artifact: { text: "x" } });
      for (const path of readdirSync(join(folder, "artifacts"), { recursive: true, encoding: "utf8" })) {
        if (!path.endsWith(".json")) continue;
        rmSync(join(folder, "artifacts", path));
        mkdirSync(join(folder, "artifacts", path));
      }
      const broken = await gateway.inject({ method: "GET", url: `${session}/artifacts/broken.txt` });
      answers.set("the artifact", broken.body);
    }
    const request = {
      appName: "app",
      userId: "ada",
      sessionId: "talk",
      newMessage: { role: "user", parts: [{ text: "hi" }] },
    };
    await send("POST", "/run", request);
    await send("POST", "/run_sse", { ...request, streaming: true });
    const begun: { readonly runId?: string } = JSON.parse(await send("POST", "/v1/runs", request));
    if (begun.runId !== undefined) {
      await send("GET", `/v1/runs/${begun.runId}/stream`);
      await send("GET", `/v1/runs/${begun.runId}`);
    }
    await send("GET", "/v1/runs?appName=app&userId=ada");
    await send("GET", session);
    await send("GET", `${session}/events`);
    await send("GET", "/debug/trace/session/talk");
    await send("GET", "/list-apps");
    await send("GET", "/list-apps?detailed=true");
    await send("GET", "/apps/app");
    await send("GET", "/dev/apps/app/build_graph");
    await send("GET", "/metrics");
  }
  answers.set("spans", JSON.stringify(collector.spans));
  return { answers, log: lines.join("") };
}
