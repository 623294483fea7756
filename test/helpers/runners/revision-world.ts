import { type App, createApp } from "#kit/core/app.ts";
import type { AgentLoader, LoadedApp, RevisionShare } from "#kit/definitions/loaders/agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { userContent } from "#kit/events/content.ts";
import { AGENT_REVISION_KEY } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { InMemoryRunNotifications, type RunNotifications } from "#ports/runs/run-notifications.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { type RunnerConfig, runnerConfigSchema } from "#services/runner/config.ts";
import { createRunReaper } from "#services/runner/create-run-reaper.ts";
import { createRunnerService } from "#services/runner/create-runner-service.ts";
import type { RunnerDeps } from "#services/runner/deps.ts";
import { loadConfig } from "#shared/config/load-config.ts";

const APP = "shop";
const LEASE_MS = 1_000;

/** A loader whose versions a test chooses, each an app whose agent answers with the name of its agent revision. */
class VersionedLoader implements AgentLoader {
  readonly versions: LoadedApp[] = [];
  readonly closed: string[] = [];
  /** How many replaced versions are kept. */
  maxOlder = 4;
  /** What the loader finds when it checks its files. */
  files: string | undefined;
  /** The versions that sessions are spread over; undefined without an index. */
  shares: readonly RevisionShare[] | undefined;
  /** Versions that cannot be loaded. */
  readonly broken = new Set<string>();

  load(agentRevision: string, steps?: readonly ScriptedStep[]): void {
    const model = new ScriptedModel(steps ?? Array.from({ length: 2_000 }, () => agentRevision));
    const plugin = { name: "closing", close: async () => void this.closed.push(agentRevision) };
    const app = createApp({ name: APP, rootAgent: new LlmAgent({ name: APP, model }), plugins: [plugin] });
    this.versions.unshift({ name: APP, app, language: "yaml", version: this.versions.length + 1, agentRevision });
    this.versions.length = Math.min(this.versions.length, this.maxOlder + 1);
  }

  async listAgents(): Promise<readonly string[]> {
    return [APP];
  }

  async loadAgent(): Promise<LoadedApp> {
    const [newest] = this.versions;
    if (newest === undefined) throw new Error("no version");
    return newest;
  }

  async findRevision(_name: string, agentRevision: string): Promise<LoadedApp | undefined> {
    if (this.broken.has(agentRevision)) throw new PlatformError("CONFIGURATION", `${agentRevision} is broken.`);
    return this.versions.find((loaded) => loaded.agentRevision === agentRevision);
  }

  /** Lists these versions with their weights, as an index does. */
  share(weights: Readonly<Record<string, number>>, retired: readonly string[] = []): void {
    this.shares = Object.entries(weights).map(([agentRevision, weight]) => ({
      ...{ agentRevision, weight, isRetired: retired.includes(agentRevision) },
    }));
  }

  sharesOf(): readonly RevisionShare[] | undefined {
    return this.shares;
  }

  keeps(app: App): boolean {
    return this.versions.some((loaded) => loaded.app === app);
  }

  async refresh(): Promise<void> {
    if (this.files !== undefined && this.files !== this.versions[0]?.agentRevision) this.load(this.files);
  }

  async close(): Promise<void> {}
}

/** Runners over one store, stream and channel of notifications, each with versions of the one app of its own. */
export class RevisionWorld {
  readonly clock = new FixedClock();
  readonly ids = new SequentialIds();
  readonly store = new InMemorySessionStore(this);
  readonly stream = new InMemoryRunStream(this);
  readonly notifications: RunNotifications | undefined;
  readonly #ends: (() => Promise<void>)[] = [];
  #runners = 0;
  #sessions = 0;

  constructor({ isAlone = false }: { readonly isAlone?: boolean } = {}) {
    this.notifications = isAlone ? undefined : new InMemoryRunNotifications();
  }

  runner(first: string, config: Partial<Record<keyof RunnerConfig, string>> = {}, steps?: readonly ScriptedStep[]) {
    this.#runners += 1;
    const { clock, ids, store } = this;
    const loader = new VersionedLoader();
    loader.load(first, steps);
    const life = { isDead: false };
    const journal = mortal(store, life);
    const deps: RunnerDeps = {
      agentLoader: loader,
      sessionService: journal,
      runJournal: journal,
      artifactService: new InMemoryArtifactService({ clock }),
      memoryService: new InMemoryMemoryService({ clock, ids }),
      runStream: mortal(this.stream, life),
      runNotifications: this.notifications && mortal(this.notifications, life),
      spanSinks: [],
      clock,
      ids,
      logger: silentLogger,
      config: loadConfig(runnerConfigSchema, { LEASE_MS: String(LEASE_MS), ...config }),
      holder: `runner ${this.#runners}`,
    };
    const service = createRunnerService(deps);
    const reaper = createRunReaper(deps, service);
    this.#ends.push(async () => {
      if (!life.isDead) await service[Symbol.asyncDispose]();
    });
    return {
      loader,
      service,
      reaper,
      /** As a killed process: its calls are not answered any more. */
      die: () => {
        life.isDead = true;
      },
      /** Starts a turn, and returns the run's id. */
      start: async (id: string, text = "hi") => {
        const session = { appName: APP, userId: "ada", id };
        const request = { newMessage: userContent(text), autoCreateSession: true };
        return (await service.startRun({ session, request })).runId;
      },
    };
  }

  /** A name that no session has yet. */
  newSession(): string {
    this.#sessions += 1;
    return `session ${this.#sessions}`;
  }

  /** Waits for the run's end, and returns its record in short. */
  async ended(runId: string) {
    await Array.fromAsync(this.stream.subscribe(runId, { signal: AbortSignal.timeout(10_000) }));
    const run = await this.store.get(runId);
    return run && { status: run.status, on: run.agentRevision, attempts: run.attempts };
  }

  /** What a new turn says: the agent revision that answered. */
  async answer(runner: ReturnType<RevisionWorld["runner"]>, session = this.newSession()): Promise<string> {
    const run = await this.ended(await runner.start(session));
    const last = (await this.texts(session)).at(-1);
    return run?.on === last ? String(last) : `${run?.on} recorded, ${last} answered, ${run?.status}`;
  }

  /** The session's events: texts, and changes of the agent revision. */
  async texts(id: string): Promise<readonly string[]> {
    const found = await this.store.getSession({ appName: APP, userId: "ada", id });
    return (found?.events ?? []).map(({ content, customMetadata, errorCode }) => {
      const change = Object(customMetadata)[AGENT_REVISION_KEY];
      return change === undefined ? (content?.parts?.[0]?.text ?? String(errorCode)) : `${change.from} > ${change.to}`;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends) await end();
  }
}

function mortal<Port extends object>(port: Port, life: { readonly isDead: boolean }): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown =>
        life.isDead ? new Promise(() => {}) : Reflect.apply(member, target, args);
    },
  });
}
