import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LogFields } from "#kit/platform/logger.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { InMemoryTraceStore } from "#ports/runs/in-memory-trace-store.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { runnerConfigSchema } from "#services/runner/config.ts";
import { createRunnerService } from "#services/runner/create-runner-service.ts";
import { spanSinks } from "#services/runner/execution/span-sinks.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { createLogger, type LogLevel } from "#shared/logging/logger.ts";
import { expectNothingOf, foreignError, KEY, PLACE } from "#test/helpers/security/planted-secret.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

/** No content on spans. */
const QUIET = { TRACE_CONTENT: false, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "" } as const;

const SESSION = "/apps/app/users/ada/sessions";
const LEASE_MS = 30_000;
const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];
const RUN_ROUTES = ["/run", "/run_sse", "/v1/runs"] as const;
const CONSOLE_FOLDER = fileURLToPath(new URL("../../../services/gateway/console", import.meta.url));
const CONSOLE_FILES = readdirSync(CONSOLE_FOLDER)
  .filter((name) => name.includes("."))
  .map((name) => `/console/${name}`);
const PAGES = [
  ...["/console", "/console/evaluations", "/v1/runs", "/v1/runs?appName=app&userId=ada&sessionId=talk"],
  ...[SESSION, `${SESSION}/talk`, "/debug/trace/session/talk", "/metrics"],
];

describe.each(LEVELS)("a session store's exception, with LOG_LEVEL=%s", (level) => {
  it.each([
    ["createSession", "POST", `${SESSION}/other`],
    ["getSession", "GET", `${SESSION}/talk`],
    ["listSessions", "GET", SESSION],
    ["list", "GET", "/v1/runs?appName=app&userId=ada"],
    ["get", "GET", "/v1/runs/unknown"],
  ] as const)("of %s is in the log with the request, and not in the answer", async (method, httpMethod, url) => {
    verifies("errors:http:no-internals");
    await using world = await startWorld(level);
    world.failing.add(method);
    const answer = await world.send(httpMethod, url);
    expect(answer.status).toBe(500);
    const { requestId } = JSON.parse(answer.body) as { readonly requestId: string };
    expect(world.found()).toEqual([{ level: "error", requestId }]);
    expect(answer.body).toContain(`The server's log has the details of request ${requestId}.`);
    await world.expectNothingShown();
  });

  it.each(RUN_ROUTES)("of a run's begin is in the log with the request, and in no answer of %s", async (route) => {
    await using world = await startWorld(level);
    world.failing.add("begin");
    const answer = await world.run(route);
    expect(answer.status).toBe(500);
    const { requestId } = JSON.parse(answer.body) as { readonly requestId: string };
    expect(world.found()).toEqual([{ level: "error", requestId }]);
    await world.expectNothingShown();
  });

  it.each(RUN_ROUTES)("of an append is in no answer of %s, stored event or record", async (route) => {
    await using world = await startWorld(level);
    world.failing.add("append");
    await world.run(route);
    await world.runner.whenIdle();
    const { runs } = JSON.parse((await world.send("GET", "/v1/runs?appName=app&userId=ada")).body);
    expect(runs).toMatchObject([{ status: "failed", error: { message: "The session store failed." } }]);
    // The run ends in good order, with its failure stored, so the log has a warning.
    expect(world.found()).toEqual(level === "error" ? [] : [{ level: "warn", runId: runs[0].runId }]);
    await world.expectNothingShown();
  });

  it.each(RUN_ROUTES)("of a finish is in no answer of %s when the run is recovered", async (route) => {
    await using world = await startWorld(level);
    world.failing.add("finish");
    const answer = world.run(route);
    await world.failed;
    await world.runner.whenIdle();
    const [record] = (await world.store.list({})).runs;
    expect(record?.status).toBe("running");
    expect(world.found()).toEqual([{ level: "error", runId: record?.runId }]);
    world.failing.clear();
    world.clock.advance(2 * LEASE_MS);
    if (record !== undefined) expect(await world.runner.recover(record)).toBe("recovered");
    await answer;
    await world.runner.whenIdle();
    expect((await world.store.list({})).runs).toMatchObject([{ status: "succeeded" }]);
    await world.expectNothingShown();
  });
});

/** A gateway and a runner on a session store whose methods in `failing` throw the errors of the store's library. */
async function startWorld(level: LogLevel) {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  const { failing, failed, failingStore } = failingOnDemand(store);
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { logger } = await createLogger({ level, format: "json", destination });
  const runStream = new InMemoryRunStream({ clock });
  const traceStore = new InMemoryTraceStore();
  const shared = { sessionService: failingStore, runJournal: failingStore, runStream, ids, logger };
  await using stack = new AsyncDisposableStack();
  const runner = stack.use(
    createRunnerService({
      ...shared,
      clock,
      holder: "here",
      agentLoader: new StaticAgentLoader([agentWithTool()]),
      artifactService: new InMemoryArtifactService({ clock }),
      memoryService: new InMemoryMemoryService({ clock, ids }),
      spanSinks: spanSinks({ traceStore, exporter: undefined, config: QUIET, clock, logger }),
      config: loadConfig(runnerConfigSchema, { LEASE_MS: String(LEASE_MS) }),
    }),
  );
  const deps = { ...shared, traceStore, runnerService: runner };
  const { gateway } = stack.use(await startGateway({ clock, deps, config: { CONSOLE: true } }));
  await store.createSession({ appName: "app", userId: "ada", id: "talk" });
  const answers = new Map<string, string>();
  const send = async (method: "GET" | "POST", url: string, payload?: object) => {
    const response = await gateway.inject({ method, url, ...(payload !== undefined && { payload }) });
    answers.set(`${method} ${url}`, JSON.stringify([response.statusCode, response.headers, response.body]));
    return { status: response.statusCode, body: response.body };
  };
  const run = (url: (typeof RUN_ROUTES)[number]) => {
    const newMessage = { role: "user", parts: [{ text: "hi" }] };
    return send("POST", url, { appName: "app", userId: "ada", sessionId: "talk", streaming: true, newMessage });
  };
  /** Reads everything that the server shows, with a store that works again. */
  const expectNothingShown = async (): Promise<void> => {
    failing.clear();
    const { runs } = await store.list({});
    for (const { runId } of runs)
      for (const url of [`/v1/runs/${runId}`, `/v1/runs/${runId}/stream`]) await send("GET", url);
    for (const url of [...PAGES, ...CONSOLE_FILES]) expect((await send("GET", url)).status, url).toBe(200);
    for (const [name, text] of answers) expectNothingOf(text, name);
    expect(lines.join("")).not.toContain(KEY);
  };
  /** The log's lines with the text: their level, and the fields that identify the run or request. */
  const found = () => {
    const fields = lines.filter((line) => line.includes(PLACE)).map((line): LogFields => JSON.parse(line));
    return fields.map(({ level: at, requestId, runId }) => ({
      level: at,
      ...(requestId !== undefined && { requestId }),
      ...(runId !== undefined && { runId }),
    }));
  };
  const owned = stack.move();
  const dispose = () => owned.disposeAsync();
  return {
    clock,
    store,
    failing,
    failed,
    runner,
    send,
    run,
    found,
    expectNothingShown,
    [Symbol.asyncDispose]: dispose,
  };
}

type Method = keyof SessionService | keyof RunJournal;

function failingOnDemand(store: InMemorySessionStore) {
  const failing = new Set<Method>();
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  const get = (target: InMemorySessionStore, name: Method) => {
    if (!failing.has(name)) return target[name].bind(target);
    return async () => {
      resolve();
      throw foreignError();
    };
  };
  // Only methods of the ports are read of it.
  const handler = { get } as ProxyHandler<InMemorySessionStore>;
  return { failing, failed, failingStore: new Proxy(store, handler) };
}

/** Its runs have an append, of the tool's call, and a finish. */
function agentWithTool(): LlmAgent {
  const call = { content: { role: "model", parts: [{ functionCall: { name: "lookup", args: {} } }] } };
  const execute = () => ({ found: true });
  const tool = { name: "lookup", description: "Looks up", parameters: { type: "object" }, execute } as const;
  return new LlmAgent({
    name: "app",
    model: new ScriptedModel([call, "done", "done"]),
    tools: [new FunctionTool(tool)],
  });
}
