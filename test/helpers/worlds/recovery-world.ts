import type { BaseAgent } from "#kit/core/base-agent.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { InMemoryRunNotifications } from "#ports/runs/run-notifications.ts";
import type { RunStreamEntry } from "#ports/runs/run-stream.ts";
import { type RunnerConfig, runnerConfigSchema } from "#services/runner/config.ts";
import { createRunReaper } from "#services/runner/create-run-reaper.ts";
import { createRunnerService } from "#services/runner/create-runner-service.ts";
import type { RunnerDeps } from "#services/runner/deps.ts";
import type { InProcessRunnerService } from "#services/runner/in-process-runner-service.ts";
import type { RecoveryKind } from "#services/runner/metrics/run-observer.ts";
import type { RunReaper } from "#services/runner/recovery/run-reaper.ts";
import { loadConfig } from "#shared/config/load-config.ts";

export const KEY = { appName: "app", userId: "ada", id: "talk" };
export const LEASE_MS = 10_000;

type Store = SessionService & RunJournal;

/** One of several runners over the same stores, which can die like a process. */
export interface MortalRunner {
  readonly service: InProcessRunnerService;
  readonly reaper: RunReaper;
  readonly model: ScriptedModel;
  readonly recoveries: readonly RecoveryKind[];
  /** Ends it like a killed process: its calls no longer reach a store or a stream, and get no answers. */
  readonly die: () => void;
  /** Loses its entries for streams, while it continues to run. */
  readonly loseStream: () => void;
  readonly start: (text: string, options?: { streaming?: boolean; timeoutMs?: number }) => Promise<RunRecord>;
}

export interface RunnerScript {
  readonly steps?: readonly ScriptedStep[];
  readonly agent?: (model: ScriptedModel) => BaseAgent;
  readonly config?: Partial<Record<keyof RunnerConfig, string>>;
  readonly hasNoApps?: boolean;
}

/** Runners that share a session store, a stream and notifications. Time advances only when a test moves it. */
export class RecoveryWorld {
  readonly clock = new FixedClock();
  readonly ids = new SequentialIds();
  readonly store: Store;
  readonly runStream = new InMemoryRunStream({ clock: this.clock });
  readonly credentials = new InMemoryCredentialService();
  readonly #notifications = new InMemoryRunNotifications();
  readonly #dispose: () => Promise<void>;
  #runners = 0;

  private constructor(open: (sources: { clock: Clock; ids: IdGenerator }) => Store & Partial<AsyncDisposable>) {
    const store = open({ clock: this.clock, ids: this.ids });
    this.store = store;
    this.#dispose = async () => store[Symbol.asyncDispose]?.();
  }

  static async start(
    open: (sources: { clock: Clock; ids: IdGenerator }) => Store & Partial<AsyncDisposable>,
  ): Promise<RecoveryWorld> {
    const world = new RecoveryWorld(open);
    await world.store.createSession(KEY);
    return world;
  }

  runner({ steps = [], agent, config = {}, hasNoApps = false }: RunnerScript = {}): MortalRunner {
    this.#runners += 1;
    const { clock, ids } = this;
    const life = { isDead: false, hasStream: true };
    const model = new ScriptedModel(steps);
    const recoveries: RecoveryKind[] = [];
    const journal = mortal(this.store, () => life.isDead);
    const rootAgent = agent?.(model) ?? new LlmAgent({ name: KEY.appName, model });
    const deps: RunnerDeps = {
      agentLoader: new StaticAgentLoader(hasNoApps ? [] : [rootAgent]),
      sessionService: journal,
      runJournal: journal,
      artifactService: new InMemoryArtifactService({ clock }),
      memoryService: new InMemoryMemoryService({ clock, ids }),
      credentialService: this.credentials,
      runStream: mortal(this.runStream, () => life.isDead || !life.hasStream),
      runNotifications: mortal(this.#notifications, () => life.isDead),
      spanSinks: [],
      observer: { runStarted: () => {}, runEnded: () => {}, runRecovered: (kind) => void recoveries.push(kind) },
      clock,
      ids,
      logger: silentLogger,
      config: loadConfig(runnerConfigSchema, { LEASE_MS: String(LEASE_MS), ...config }),
      holder: `runner ${this.#runners}`,
    };
    const service = createRunnerService(deps);
    return {
      service,
      reaper: createRunReaper(deps, service),
      model,
      recoveries,
      die: () => {
        life.isDead = true;
      },
      loseStream: () => {
        life.hasStream = false;
      },
      start: (text, { streaming = false, ...rest } = {}) =>
        service.startRun({ session: KEY, request: { newMessage: userContent(text), streaming }, ...rest }),
    };
  }

  /**
   * The entries of a run's stream until its end. A stream that begins with a later attempt also marks the entries
   * before it as stored.
   */
  async read(runId: string): Promise<readonly string[]> {
    const batches = this.runStream.subscribe(runId, { signal: AbortSignal.timeout(10_000) });
    return (await Array.fromAsync(batches))
      .flat()
      .map(briefEntry)
      .filter((entry) => entry !== "resync");
  }

  async events(): Promise<readonly string[]> {
    const session = await this.store.getSession(KEY);
    return (session?.events ?? []).map(
      ({ author, content, errorCode }) => `${author}: ${briefPart(content, errorCode)}`,
    );
  }

  async record(runId: string) {
    const run = await this.store.get(runId);
    return run && { status: run.status, attempts: run.attempts, handovers: run.handovers, reason: run.error?.reason };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispose();
  }
}

/** The port of a process that can be killed: its calls then never settle. */
function mortal<Port extends object>(port: Port, isDead: () => boolean): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => (isDead() ? new Promise(() => {}) : Reflect.apply(member, target, args));
    },
  });
}

function briefEntry(entry: RunStreamEntry): string {
  if (entry.kind === "resync") return "resync";
  if (entry.kind === "end") return entry.status;
  if (entry.kind === "attempt") return `attempt ${entry.attempt}`;
  const { content, errorCode } = JSON.parse(entry.json);
  return `${briefPart(content, errorCode)}${entry.partial ? "~" : ` #${entry.sequence}`}`;
}

function briefPart(
  content:
    | { parts?: readonly { text?: string; functionCall?: unknown; functionResponse?: { response?: unknown } }[] }
    | undefined,
  errorCode: string | undefined,
): string {
  const [part] = content?.parts ?? [];
  if (part?.functionCall !== undefined) return "call";
  if (part?.functionResponse !== undefined) return `response ${JSON.stringify(part.functionResponse.response)}`;
  return part?.text ?? errorCode ?? "nothing";
}
