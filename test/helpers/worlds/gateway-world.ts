import type { Clock } from "#kit/platform/clock.ts";
import type { LogFields, Logger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { InMemoryIdempotencyStore } from "#ports/idempotency/in-memory-idempotency-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { InMemoryTraceStore } from "#ports/runs/in-memory-trace-store.ts";
import type { RunStream } from "#ports/runs/run-stream.ts";
import type { AppInfo } from "#ports/runs/runner-service.ts";
import type { TraceStore } from "#ports/runs/trace-store.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { type Evaluations, openEvaluations } from "#services/eval/jobs/open-evaluations.ts";
import { NO_CREDENTIALS } from "#services/eval/jobs/worker-deps.ts";
import { type EvalWorkerConfig, evalWorkerConfigSchema } from "#services/eval/jobs/worker-settings.ts";
import type { Gateway } from "#services/gateway/add-routes.ts";
import { createGateway } from "#services/gateway/app.ts";
import { type GatewayConfig, gatewayConfigSchema } from "#services/gateway/config.ts";
import type { GatewayDeps } from "#services/gateway/deps.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";
import { type LiveScript, ScriptedLiveRunner } from "#test/helpers/live/scripted-live-runner.ts";
import { type RunScript, ScriptedRunner } from "./scripted-runner.ts";

export interface GatewayWorld extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly deps: GatewayDeps & { readonly traceStore: TraceStore };
  readonly store: InMemorySessionStore;
  readonly artifacts: InMemoryArtifactService;
  readonly runner: ScriptedRunner;
  readonly liveRunner: ScriptedLiveRunner | undefined;
  /** Log lines as level and message. */
  readonly logs: readonly string[];
  /** Listens on a free port and answers the base address. */
  listen(): Promise<string>;
}

export interface GatewayWorldOptions {
  readonly script?: RunScript;
  /** Executes live runs; absent: the server has none. */
  readonly live?: LiveScript;
  readonly config?: Partial<GatewayConfig & EvalWorkerConfig>;
  /** Runs publish to the stream, which routes only read. */
  readonly deps?: Partial<GatewayDeps> & { readonly runStream?: RunStream; readonly traceStore?: TraceStore };
  readonly clock?: Clock;
  /** See `ScriptedRunnerOptions`. */
  readonly resumes?: boolean;
  /** Of the app's root agent. */
  readonly instruction?: string;
  /** What the gateway gets in place of each port. */
  readonly watch?: <Port extends object>(name: string, port: Port) => Port;
}

const PORTS = [
  ...(["sessionService", "runJournal", "artifactService", "memoryService", "evalStore", "userCredentials"] as const),
  ...(["traceStore", "runnerService", "runStream", "idempotencyStore", "evalJobs"] as const),
];

/** A gateway over in-memory stores and a scripted runner that serves the app `echo`. */
export async function startGateway(options: GatewayWorldOptions = {}): Promise<GatewayWorld> {
  const { clock = new FixedClock(), script = async (run) => run.say("hello"), instruction = "You echo." } = options;
  const ids = new SequentialIds("id");
  const store = new InMemorySessionStore({ clock, ids });
  const artifacts = new InMemoryArtifactService({ clock });
  const runStream = options.deps?.runStream ?? new InMemoryRunStream({ clock });
  const apps = new Map([["echo", { ...ECHO, rootAgent: { ...ECHO.rootAgent, instruction } }]]);
  const { resumes = false } = options;
  const runner = new ScriptedRunner({ journal: store, runStream, clock, ids, apps, script, resumes });
  const liveRunner = options.live && new ScriptedLiveRunner({ journal: store, runStream, script: options.live });
  const logs: string[] = [];
  const deps: GatewayWorld["deps"] = {
    ...{
      sessionService: store,
      runJournal: store,
      artifactService: artifacts,
      runStream,
      runnerService: runner,
      liveRunner,
      clock,
      ids,
    },
    idempotencyStore: new InMemoryIdempotencyStore({ clock }),
    memoryService: notPartOfThisTest(),
    evalStore: notPartOfThisTest(),
    userCredentials: notPartOfThisTest(),
    evalJobs: notPartOfThisTest(),
    logger: recordingLogger(logs),
    config: { ...defaultsOf(gatewayConfigSchema), DEV_UI: false, ...options.config },
    readMetrics: () => ({ contentType: "text/plain; version=0.0.4; charset=utf-8", text: "# no metrics\n" }),
    readiness: { missing: [], unavailable: [] },
    traceStore: new InMemoryTraceStore(),
    ...options.deps,
  };
  const evaluations = options.deps?.evalStore && openTestEvaluations(deps);
  evaluations?.worker.start();
  const used = evaluations === undefined ? deps : { ...deps, evalJobs: evaluations.jobs };
  const { watch } = options;
  const ports = [...PORTS, ...(liveRunner === undefined ? [] : (["liveRunner"] as const))];
  const watched =
    watch === undefined ? {} : Object.fromEntries(ports.map((name) => [name, watch(name, used[name] ?? {})]));
  const gateway = await createGateway({ ...used, ...watched });
  return {
    gateway,
    deps,
    store,
    artifacts,
    runner,
    liveRunner,
    logs,
    listen: () => gateway.listen({ host: "127.0.0.1", port: 0 }),
    [Symbol.asyncDispose]: async () => {
      await evaluations?.worker[Symbol.asyncDispose]();
      await gateway.close();
    },
  };
}

function openTestEvaluations(deps: GatewayDeps): Evaluations {
  return openEvaluations({
    ...deps,
    evalJobStore: new TabularEvalJobStore({ ...deps, table: new InMemoryRowTable() }),
    config: { ...defaultsOf(evalWorkerConfigSchema), ...deps.config },
    holder: "test",
    credentialsOf: () => NO_CREDENTIALS,
  });
}

const ECHO: AppInfo = {
  name: "echo",
  language: "typescript",
  description: "Echoes",
  plugins: [],
  rootAgent: {
    name: "echo_root",
    description: "Echoes",
    type: "llm",
    tools: [{ name: "add", description: "Adds", type: "tool", parameters: { type: "object" } }],
    subAgents: [{ name: "helper", description: "Helps", type: "llm", tools: [], subAgents: [] }],
  },
};

function recordingLogger(logs: string[]): Logger {
  const write = (level: string) => (_fields: LogFields, message: string) => void logs.push(`${level} ${message}`);
  const logger: Logger = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: () => logger,
  };
  return logger;
}

function notPartOfThisTest<Port extends object>(): Port {
  const refuse = (_target: object, name: string | symbol): never => {
    throw new Error(`this test has no port for ${String(name)}`);
  };
  // Never used as a Port: every access throws.
  return new Proxy({}, { get: refuse }) as Port;
}
