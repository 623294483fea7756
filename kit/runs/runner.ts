import { setTimeout as pause } from "node:timers/promises";
import type { App } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { createRunConfig, type RunConfig, StreamingMode } from "#kit/core/context/run-config.ts";
import { PluginManager } from "#kit/core/plugin-manager.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { shutdownsInTree } from "#kit/llm-agent/base/base-llm-agent.ts";
import { withDefaults } from "#kit/platform/members.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { RunEmission } from "./base/event-writer.ts";
import { createLiveRunConfig, createTurnConfig } from "./base/live-run-config.ts";
import type {
  BeginOutcome,
  BeginRequest,
  RewindRequest,
  RunAsyncRequest,
  RunEphemeralRequest,
  RunLiveRequest,
  RunnerOptions,
} from "./base/runner-options.ts";
import { RunsOfThisRunner } from "./base/runs-of-this-runner.ts";
import type { StartedRun } from "./base/started-run.ts";
import { type CompleteRunnerOptions, completeRunnerOptions } from "./begin/complete-runner-options.ts";
import { RunStarter } from "./begin/run-starter.ts";
import { executeRun } from "./execute/execute-run.ts";
import { followRun } from "./follow-run.ts";
import { rewindSession } from "./rewind-session.ts";

/** How often to poll for the end of a run that another process executes. */
const QUEUE_POLL_MS = 100;

/**
 * Runs the agents of one app. Everything that another runner needs to recover a run is in the journal, and not in this
 * object.
 *
 * @example
 * ```ts
 * import { InMemorySessionStore, LlmAgent, Runner, userContent } from "fairlead/kit";
 *
 * const agent = new LlmAgent({ name: "greeter", model: "demo/chat", instruction: "Greet the user." });
 * const sessionService = new InMemorySessionStore();
 * const runner = new Runner({ appName: "desk", agent, sessionService, runConfig: { autoCreateSession: true } });
 *
 * const newMessage = userContent("Hello!");
 * for await (const event of runner.runAsync({ userId: "ada", sessionId: "first", newMessage })) console.log(event);
 * ```
 */
export class Runner {
  readonly app: App;
  readonly sessionService: SessionService;
  readonly journal: RunJournal;
  readonly pluginManager: PluginManager;
  readonly #options: CompleteRunnerOptions;
  readonly #turns = new RunsOfThisRunner();
  readonly #starter: RunStarter;

  /**
   * Throws `FIELD_MISSING` and `SERVICE_MISSING` for missing options, `DUPLICATE_NAME` for plugins, and what
   * `createApp` throws.
   */
  constructor(options: RunnerOptions) {
    const complete = completeRunnerOptions(options);
    this.app = complete.app;
    this.sessionService = complete.sessionService;
    this.journal = complete.journal;
    this.pluginManager = new PluginManager(complete.app.plugins);
    this.#options = complete;
    for (const warning of shutdownsInTree(complete.app.rootAgent, complete.clock.now()))
      complete.logger.warn({ appName: complete.app.name }, warning);
    this.#starter = new RunStarter({ ...complete, pluginManager: this.pluginManager, turns: this.#turns });
  }

  get appName(): string {
    return this.app.name;
  }

  get agent(): BaseAgent {
    return this.app.rootAgent;
  }

  /**
   * Runs the agent on a message and yields its events, partial events too if the run streams. The run is queued while
   * another run holds the session. A reader that stops, or the signal, cancels the run. A failure is stored as an
   * event, yielded, and then thrown.
   */
  runAsync(request: RunAsyncRequest): AsyncGenerator<Event, void, undefined> {
    return followRun(() => this.#startRun(request), request.signal ?? request.abortSignal);
  }

  /** As `runAsync`, in a new session that is deleted when the run has ended. */
  async *runEphemeral(request: RunEphemeralRequest): AsyncGenerator<Event, void, undefined> {
    const session = await this.sessionService.createSession({ appName: this.appName, userId: request.userId });
    try {
      yield* this.runAsync({ ...request, sessionId: session.id });
    } finally {
      await this.sessionService.deleteSession(session);
    }
  }

  /**
   * Runs the agent over a live connection of its model: requests of the queue are sent to the model as they arrive,
   * until the queue is closed or the model ends the connection. A reader that stops, or the signal, cancels the run.
   * Throws `LIVE_NOT_SUPPORTED` before it stores anything if the app's agent cannot run live.
   */
  runLive(request: RunLiveRequest): AsyncGenerator<Event, void, undefined> {
    return followRun(() => this.#startLiveRun(request), request.signal ?? request.abortSignal);
  }

  /**
   * Rewinds the session to before an invocation: the agent, its state and its files are as they were then. Nothing is
   * deleted from the history; a marker event excludes the rewound events. Queued like a run. Throws
   * `INVOCATION_NOT_FOUND` and `SESSION_NOT_FOUND`.
   */
  async rewind({ userId, sessionId, rewindBeforeInvocationId }: RewindRequest): Promise<void> {
    const session = { appName: this.app.name, userId, id: sessionId };
    const run = await this.#startInTurn({ session, request: {} }, createRunConfig(this.#options.runConfig));
    await rewindSession(run, rewindBeforeInvocationId);
  }

  /**
   * Requests a run's cancellation: it ends immediately if it is executed here, else with its next write. Throws
   * `RUN_NOT_FOUND`.
   */
  async cancel(runId: string): Promise<RunRecord> {
    const record = await this.journal.cancel(runId);
    this.#turns.cancel(runId);
    return record;
  }

  /**
   * Records a run and acquires its session's lease, or queues the run. A run that has started may not be durable yet:
   * `executeRun` yields nothing before it is, and the caller awaits its `durable` before it names the run to others.
   * Throws `INVALID_MESSAGE` and what `RunJournal.begin` throws.
   */
  beginRun(begin: BeginRequest, runConfig?: RunConfig): Promise<BeginOutcome> {
    return this.#starter.begin(begin, runConfig);
  }

  /** Executes a run that `beginRun` started; see `executeRun`. */
  executeRun(run: StartedRun): AsyncGenerator<readonly RunEmission[], RunRecord | undefined, undefined> {
    return executeRun(run);
  }

  /**
   * Resolves when the run ahead has ended here, or after the poll interval if it runs elsewhere; then call `beginRun`
   * again.
   */
  async waitBehind(runId: string): Promise<void> {
    if (!(await this.#turns.ended(runId))) await pause(QUEUE_POLL_MS);
  }

  /**
   * Closes the agents' tools and the plugins, and not the services that were passed to the runner. Throws the first
   * failure after all were closed.
   */
  async close(): Promise<void> {
    const [agents, plugins] = await Promise.allSettled([this.app.rootAgent.close(), this.pluginManager.close()]);
    if (agents.status === "rejected") throw agents.reason;
    if (plugins.status === "rejected") throw plugins.reason;
    for (const error of plugins.value) throw error;
  }

  #startRun({ newMessage, stateDelta, userId, sessionId, ...request }: RunAsyncRequest): Promise<StartedRun> {
    const runConfig = createTurnConfig(withDefaults(this.#options.runConfig ?? {}, request.runConfig ?? {}));
    return this.#startInTurn(
      {
        session: { appName: this.app.name, userId, id: sessionId },
        request: {
          // `checkMessage` refuses what is not content.
          newMessage: newMessage as Content | undefined,
          stateDelta,
          streaming: runConfig.streamingMode !== StreamingMode.NONE,
          autoCreateSession: runConfig.autoCreateSession,
        },
      },
      runConfig,
    );
  }

  async #startLiveRun({ userId, sessionId, liveRequestQueue, ...request }: RunLiveRequest): Promise<StartedRun> {
    this.app.rootAgent.assertLive();
    const runConfig = createLiveRunConfig(withDefaults(this.#options.runConfig ?? {}, request.runConfig ?? {}));
    const run = await this.#startInTurn(
      {
        session: { appName: this.app.name, userId, id: sessionId },
        request: { streaming: true, autoCreateSession: runConfig.autoCreateSession },
      },
      runConfig,
    );
    return { ...run, liveRequestQueue };
  }

  async #startInTurn(begin: BeginRequest, runConfig: RunConfig): Promise<StartedRun> {
    const runId = begin.runId ?? this.#options.ids.next();
    for (;;) {
      const outcome = await this.beginRun({ ...begin, runId }, runConfig);
      if (outcome.kind === "started") return outcome.run;
      if (outcome.kind === "existing")
        throw new PlatformError("RUN_ALREADY_FINISHED", `Run ${runId} was ended while it waited for its turn.`);
      await this.waitBehind(outcome.behind);
    }
  }
}
