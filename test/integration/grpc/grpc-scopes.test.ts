import { describe, expect, it } from "vitest";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { RemoteCredentialService } from "#adapters/grpc/remote-credential-service.ts";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteRunnerService } from "#adapters/grpc/remote-runner-service.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { systemClock as clock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { silentLogger as logger } from "#kit/platform/logger.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { createArtifactServer } from "#services/artifact/server.ts";
import { bindRuns } from "#services/gateway/access/bind-runs.ts";
import { createMemoryServer } from "#services/memory/server.ts";
import { runnerConfigSchema } from "#services/runner/config.ts";
import { createRunnerService } from "#services/runner/create-runner-service.ts";
import { createRunnerServer } from "#services/runner/server.ts";
import { createSessionServer } from "#services/session/server.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";
import type { GrpcServer } from "#shared/grpc/grpc-server.ts";
import { signGrantOnce } from "#shared/grpc/sign-grant-once.ts";
import { OtlpExporter } from "#shared/otlp/otlp-exporter.ts";
import type { ServiceName } from "#shared/security/call-graph.ts";
import { tracing } from "#shared/tracing/call-tracer.ts";
import { LiveClient } from "#test/helpers/live/live-client.ts";
import { peerAt, SecurityFiles } from "#test/helpers/security/security-files.ts";
import { type CollectedSpan, startTraceCollector } from "#test/helpers/servers/trace-collector.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CLIENT_SPAN = "b7ad6b7169203331";
const USER = "/apps/app/users/ada";

/** The models of the agents that were created. */
const models: ScriptedModel[] = [];

/** An agent that writes an artifact by a tool and searches its memory. If the message asks for it, it never answers. */
function createAgent(): LlmAgent {
  const save = new FunctionTool({
    name: "save",
    description: "Saves a note",
    execute: async (_args, context) => ({
      version: await context.saveArtifact("note", { text: "hi" }),
      memories: (await context.searchMemory("tea")).memories.length,
    }),
  });
  const call = { content: { role: "model", parts: [{ functionCall: { name: "save", args: {} } }] } };
  const model = new ScriptedModel(
    [
      ({ contents }) => {
        const part = contents.at(-1)?.parts?.[0];
        if (part?.text === "wait") return [new Promise(() => {})];
        return part?.functionResponse === undefined ? call : "done";
      },
    ],
    { repeatLast: true, live: [[call], [{ content: modelContent("done") }, { turnComplete: true }]] },
  );
  models.push(model);
  return new LlmAgent({ name: "app", model, tools: [save] });
}

/** Gateway, runner and back-ends, each with its own token, signed principals and an exporter of its own. */
async function startWorld() {
  const stack = new AsyncDisposableStack();
  const collector = stack.use(await startTraceCollector());
  const files = stack.use(new SecurityFiles());
  const ids = new UuidV7Generator();
  const exporters: OtlpExporter[] = [];
  const processOf = (name: ServiceName) => {
    const exporter = new OtlpExporter({ url: collector.url, resourceAttributes: { "service.name": name }, logger });
    exporters.push(stack.use(exporter));
    const security = files.withPrincipals(name);
    const shell = { ...security.server, ...tracing({ exporter, clock, ids }), logger };
    return { exporter, security, shell, trace: tracing({ exporter, clock, ids }) };
  };
  const listen = (server: GrpcServer) => stack.use(server).listen("127.0.0.1:0");
  const sessions = new InMemorySessionStore();
  const artifacts = new InMemoryArtifactService({ clock });
  const store = processOf("session");
  const userCredentials = new InMemoryCredentialService();
  const { grants } = store.security;
  const ports = {
    session: await listen(
      createSessionServer({ ...store.shell, sessions, journal: sessions, grants, userCredentials }),
    ),
    artifact: await listen(createArtifactServer({ ...processOf("artifact").shell, artifacts })),
    memory: await listen(
      createMemoryServer({ ...processOf("memory").shell, memory: new InMemoryMemoryService({ clock, ids }) }),
    ),
  };
  const remotes = ({ security }: ReturnType<typeof processOf>) => {
    const runJournal = stack.use(new RemoteRunJournal(peerAt(ports.session, security, "session")));
    const prepare = signGrantOnce(() => runJournal.signGrant());
    return {
      sessionService: stack.use(new RemoteSessionService(peerAt(ports.session, security, "session"))),
      runJournal,
      artifactService: stack.use(
        new RemoteArtifactService({ ...peerAt(ports.artifact, security, "artifact"), prepare }),
      ),
      memoryService: stack.use(new RemoteMemoryService({ ...peerAt(ports.memory, security, "memory"), prepare })),
    };
  };
  const runStream = new InMemoryRunStream({ clock });
  const runnerProcess = processOf("runner");
  const runner = stack.use(
    createRunnerService({
      ...remotes(runnerProcess),
      credentialService: stack.use(
        new RemoteCredentialService(peerAt(ports.session, runnerProcess.security, "session")),
      ),
      runStream,
      clock,
      ids,
      logger,
      holder: "runner 1",
      agentLoader: new StaticAgentLoader([createAgent()]),
      spanSinks: [(_session, spans) => runnerProcess.exporter.add(spans)],
      config: defaultsOf(runnerConfigSchema),
    }),
  );
  const runnerPort = await listen(createRunnerServer({ ...runnerProcess.shell, runner }));
  const edge = processOf("gateway");
  const runners = bindRuns(stack.use(new RemoteRunnerService(peerAt(runnerPort, edge.security, "runner"))));
  const gateway = stack.use(
    await startGateway({
      clock,
      config: { TRUST_TRACEPARENT: true },
      deps: {
        ...remotes(edge),
        runStream,
        ids,
        runnerService: runners,
        liveRunner: runners,
        requestScope: { ...edge.trace, signsPrincipals: true },
      },
    }),
  );
  const url = await gateway.listen();
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const collected = async (): Promise<readonly CollectedSpan[]> => {
    await runner.whenIdle();
    await Promise.all(exporters.map((exporter) => exporter.flush()));
    return collector.spans;
  };
  return {
    url,
    post,
    sessions,
    artifacts,
    userCredentials,
    collected,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function runBody(userId: string, sessionId: string, text = "hi") {
  return { appName: "app", userId, sessionId, newMessage: { role: "user", parts: [{ text }] } };
}

describe("a request that passes through the services", () => {
  it("is one trace: from the client through the gateway, the runner, its model and tool, to the stores", async () => {
    await using world = await startWorld();
    await world.post(`${USER}/sessions/talk`, {});
    const headers = { traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-01` };
    const answer = await world.post("/run", runBody("ada", "talk"), headers);
    expect([answer.status, await answer.json()]).toMatchObject([200, [{}, {}, {}]]);
    const spans = (await world.collected()).filter(({ traceId }) => traceId === TRACE_ID);
    const nameOf = (id: string | undefined): string => {
      const found = spans.find(({ spanId }) => spanId === id);
      return found === undefined ? (id ?? "none") : `${found.service} ${shortName(found)}`;
    };
    const tree = new Set(spans.map((span) => `${nameOf(span.parentSpanId)} > ${span.service} ${shortName(span)}`));
    expect([...tree].sort()).toEqual([
      `${CLIENT_SPAN} > gateway POST /run`,
      "gateway POST /run > runner RunnerService/StartRun",
      "runner RunnerService/StartRun > artifact ArtifactService/SaveArtifact",
      "runner RunnerService/StartRun > memory MemoryService/SearchMemory",
      "runner RunnerService/StartRun > runner invocation",
      "runner RunnerService/StartRun > session RunJournalService/AppendEvents",
      "runner RunnerService/StartRun > session RunJournalService/BeginRun",
      "runner RunnerService/StartRun > session RunJournalService/FinishRun",
      "runner RunnerService/StartRun > session RunJournalService/SignGrant",
      "runner invocation > runner invoke_agent app",
      "runner invoke_agent app > runner chat scripted",
      "runner invoke_agent app > runner execute_tool save",
    ]);
    const SERVER = 2;
    expect(new Set(spans.filter(({ name }) => /\/|POST/.test(name)).map(({ kind }) => kind))).toEqual(
      new Set([SERVER]),
    );
  });

  it("begins a trace of its own when its client has none, and a failure shows by its reason", async () => {
    await using world = await startWorld();
    const answer = await world.post("/run", runBody("ada", "none"), { traceparent: "nonsense" });
    expect(answer.status).toBe(404);
    const spans = await world.collected();
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const failed = spans.filter(({ status }) => status.code === 2);
    expect(failed.map((span) => `${span.service} ${shortName(span)}: ${span.status.message}`).sort()).toEqual([
      "runner RunnerService/StartRun: SESSION_NOT_FOUND",
      "session RunJournalService/BeginRun: SESSION_NOT_FOUND",
    ]);
  });

  it("reaches what its user has, through every service, and keeps users apart", async () => {
    await using world = await startWorld();
    await world.post(`${USER}/sessions/talk`, {});
    await world.post("/apps/app/users/bob/sessions/talk", {});
    const turns = await Promise.all([
      world.post("/run", runBody("ada", "talk")),
      world.post("/run", runBody("bob", "talk")),
    ]);
    expect(turns.map(({ status }) => status)).toEqual([200, 200]);
    for (const userId of ["ada", "bob"]) {
      const session = { appName: "app", userId, id: "talk" };
      expect((await world.sessions.getSession(session))?.events.length).toBe(4);
      expect(await world.artifacts.listArtifactKeys(session)).toEqual({ filenames: ["note"] });
    }
    const read = await fetch(`${world.url}${USER}/sessions/talk`);
    expect(await read.json()).toMatchObject({ id: "talk", userId: "ada" });
    const { runs } = await world.sessions.list({});
    const byId = await fetch(`${world.url}/v1/runs/${runs[0]?.runId}`);
    expect(byId.status).toBe(200);
  });
});

describe("a live run that passes through the services", () => {
  it("reaches its session and its user's files, and stores the handle of its model, in its own name", async () => {
    await using world = await startWorld();
    await world.post(`${USER}/sessions/talk`, {});
    const client = await LiveClient.connect(`${world.url}/run_live?app_name=app&user_id=ada&session_id=talk`);
    client.say("hi");
    await client.texts(4);
    models
      .at(-1)
      ?.connections.at(-1)
      ?.say({ liveSessionResumptionUpdate: { newHandle: "handle", resumable: true } });
    const [run] = (await world.sessions.list({})).runs;
    const owner = { appName: "app", userId: "ada" };
    const name = `adk_live_${run?.invocationId}`;
    await expect.poll(() => world.userCredentials.loadCredential(owner, name)).toBeDefined();
    client.send({ close: true });
    expect(await client.closed).toEqual({ code: 1000, reason: "" });
    expect(await world.userCredentials.loadCredential(owner, name)).toBeUndefined();
    const session = { ...owner, id: "talk" };
    expect((await world.sessions.getSession(session))?.events.length).toBe(5);
    expect(await world.artifacts.listArtifactKeys(session)).toEqual({ filenames: ["note"] });
    expect((await world.sessions.list({})).runs.map(({ status }) => status)).toEqual(["succeeded"]);
  });
});

describe("a client that leaves", () => {
  it.each(["/run", "/run_sse"])("has its run cancelled in its own name, if it asked for that: %s", async (path) => {
    await using world = await startWorld();
    await world.post(`${USER}/sessions/talk`, {});
    const leaving = new AbortController();
    const request = fetch(`${world.url}${path}?on_disconnect=cancel`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...runBody("ada", "talk", "wait"), streaming: true }),
      signal: leaving.signal,
    });
    const left = request.then((answer) => answer.text()).catch((error: Error) => error.name);
    const statuses = async () => (await world.sessions.list({})).runs.map(({ status }) => status);
    await expect.poll(() => statuses()).toEqual(["running"]);
    leaving.abort();
    expect(await left).toBe("AbortError");
    await expect.poll(() => statuses()).toEqual(["cancelled"]);
  });
});

/** Calls without their package. */
function shortName({ name }: CollectedSpan): string {
  return name.replace(/^fairlead\.\w+\.v1\./, "");
}
