import type { Message, TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import type { AgentExecutionEvent, RequestContext } from "@a2a-js/sdk/server";
import { ADK_EXTENSION_URI, FURTHER_KEY, GIVEN_METADATA_KEY, USER_PREFIX } from "#kit/a2a/conversion/metadata-keys.ts";
import { ROLE, TASK_STATE } from "#kit/a2a/conversion/protocol.ts";
import type { App } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { createRunConfig, type RunConfig } from "#kit/core/context/run-config.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { RunnerOptions } from "#kit/runs/base/runner-options.ts";
import { Runner } from "#kit/runs/runner.ts";
import { contentFrom, pendingCalls } from "./received-message.ts";
import { OutputMode, RunUpdates } from "./run-updates.ts";

/** An executor sends its updates to it. The SDK's event bus has this form. */
export interface EventQueue {
  publish(event: AgentExecutionEvent): void;
  finished(): void;
}

/** How an executor answers: the form of its artifacts, and callbacks around each request and event. */
export interface AgentExecutorConfig {
  /** ARTIFACT_PER_RUN if absent. */
  readonly outputMode?: OutputMode;
  /** Settings of the runs. If absent: no streaming, and at most 20 model calls. */
  readonly runConfig?: Partial<RunConfig>;
  readonly beforeExecuteCallback?: BeforeExecuteCallback;
  readonly afterEventCallback?: AfterEventCallback;
  readonly afterExecuteCallback?: AfterExecuteCallback;
}

/** Called before the agent runs. True skips the run, and the task is canceled. */
export type BeforeExecuteCallback = (context: RequestContext) => boolean | Promise<boolean>;

/** Called with each artifact update and its event. What it returns is sent instead; undefined suppresses the update. */
export type AfterEventCallback = (
  context: RequestContext,
  update: TaskArtifactUpdateEvent,
  event: Event,
) => TaskArtifactUpdateEvent | undefined | Promise<TaskArtifactUpdateEvent | undefined>;

/** Called with the last status. What it returns is sent instead; undefined suppresses the status. */
export type AfterExecuteCallback = (
  context: RequestContext,
  update: TaskStatusUpdateEvent,
) => TaskStatusUpdateEvent | undefined | Promise<TaskStatusUpdateEvent | undefined>;

/** Options of an `AgentExecutor`. Services that are left out are in memory. */
export interface AgentExecutorOptions
  extends Pick<
    RunnerOptions,
    | "sessionService"
    | "artifactService"
    | "memoryService"
    | "credentialService"
    | "outbound"
    | "plugins"
    | "logger"
    | "ids"
  > {
  /** The agent that runs; or give an `app`. */
  readonly agent?: BaseAgent;
  readonly app?: App;
  /** The app's name with an `agent`; the agent's name if absent. */
  readonly appName?: string;
  readonly agentExecutorConfig?: AgentExecutorConfig;
}

const DEFAULT_RUN_CONFIG: Partial<RunConfig> = { maxLlmCalls: 20 };

/**
 * Serves an agent with a server of `@a2a-js/sdk`: a task is a run, and a context is a session.
 *
 * @example
 * new DefaultRequestHandler(card, new InMemoryTaskStore(), new AgentExecutor({ agent }));
 */
export class AgentExecutor {
  readonly runner: Runner;
  readonly #config: AgentExecutorConfig;
  readonly #logger: NonNullable<RunnerOptions["logger"]>;
  readonly #ids: IdGenerator;
  readonly #running = new Map<string, AbortController>();

  /** Throws `INVALID_FIELD`, and what `Runner` throws. */
  constructor(options: AgentExecutorOptions) {
    const { agentExecutorConfig = {}, agent, app, appName = agent?.name, ...services } = options;
    const { outputMode = OutputMode.ARTIFACT_PER_RUN, runConfig } = agentExecutorConfig;
    if (!Object.hasOwn(OutputMode, outputMode))
      throw new PlatformError("INVALID_FIELD", `outputMode should be ${Object.keys(OutputMode).join(" or ")}.`, {
        details: { field: "outputMode" },
      });
    createRunConfig(runConfig);
    this.#config = agentExecutorConfig;
    this.#ids = options.ids ?? new UuidV7Generator();
    this.#logger = options.logger ?? silentLogger;
    this.runner = new Runner({ ...services, ...(app === undefined ? { agent, appName } : { app }) });
  }

  /**
   * Runs the agent on the request's message, and publishes the task, its artifacts and statuses. A failure is published
   * as an id, which the log has too. Throws `FIELD_MISSING` for a request without a message, and `SESSION_BUSY` for a
   * task that runs already.
   */
  async execute(context: RequestContext, queue: EventQueue): Promise<void> {
    const { taskId, userMessage } = context;
    if (userMessage === undefined) throw new PlatformError("FIELD_MISSING", "The request has no message.");
    if (this.#running.has(taskId)) throw new PlatformError("SESSION_BUSY", `The task "${taskId}" runs already.`);
    const abort = new AbortController();
    this.#running.set(taskId, abort);
    try {
      await this.#execute(context, queue, abort.signal);
    } finally {
      this.#running.delete(taskId);
      queue.finished();
    }
  }

  /** Cancels the task's run, and publishes that it is canceled. */
  async cancel(context: Pick<RequestContext, "taskId" | "contextId">, queue: EventQueue): Promise<void> {
    const abort = this.#running.get(context.taskId);
    abort?.abort(new PlatformError("RUN_CANCELLED", "The task was canceled on request."));
    // The run itself publishes its end.
    if (abort === undefined) {
      queue.publish({ kind: "statusUpdate", data: statusUpdate(context, TASK_STATE.CANCELED) });
      queue.finished();
    }
  }

  /** The SDK's name of `cancel`. */
  async cancelTask(taskId: string, queue: EventQueue): Promise<void> {
    await this.cancel({ taskId, contextId: "" }, queue);
  }

  async close(): Promise<void> {
    await this.runner.close();
  }

  async #execute(context: RequestContext, queue: EventQueue, signal: AbortSignal): Promise<void> {
    const { task, userMessage, taskId, contextId } = context;
    const userId = context.context?.user?.userName || USER_PREFIX + contextId;
    const pending = pendingCalls(task);
    const waiting = task?.status;
    const place = { [FURTHER_KEY.APP_NAME]: this.runner.appName, [FURTHER_KEY.USER_ID]: userId };
    const metadata = { ...place, [FURTHER_KEY.SESSION_ID]: contextId, [ADK_EXTENSION_URI]: EXTENSION_ANSWER };
    const submitted = { state: TASK_STATE.SUBMITTED, message: undefined, timestamp: now() };
    const created = { id: taskId, contextId, status: submitted, artifacts: [], history: [userMessage], metadata };
    queue.publish({ kind: "task", data: task ?? created });
    if (await this.#config.beforeExecuteCallback?.(context))
      return this.#end(context, queue, statusUpdate(context, TASK_STATE.CANCELED));
    const newMessage = contentFrom(userMessage, pending);
    // Each call that waits needs its answer.
    if (newMessage === undefined)
      return this.#end(
        context,
        queue,
        statusUpdate(context, waiting?.state ?? TASK_STATE.INPUT_REQUIRED, waiting?.message),
      );
    queue.publish({ kind: "statusUpdate", data: statusUpdate(context, TASK_STATE.WORKING) });
    await this.#end(context, queue, await this.#run(context, queue, { userId, newMessage, signal }));
  }

  async #run(
    context: RequestContext,
    queue: EventQueue,
    { userId, newMessage, signal }: { userId: string; newMessage: Content; signal: AbortSignal },
  ): Promise<TaskStatusUpdateEvent> {
    const { outputMode = OutputMode.ARTIFACT_PER_RUN, afterEventCallback } = this.#config;
    const updates = new RunUpdates(context, outputMode, this.#ids);
    try {
      const runConfig = { ...this.#runConfig(context), autoCreateSession: true };
      const events = this.runner.runAsync({ userId, sessionId: context.contextId, newMessage, runConfig, signal });
      for await (const event of events) {
        const update = updates.take(event);
        if (update === undefined) continue;
        const sent = afterEventCallback === undefined ? update : await afterEventCallback(context, update, event);
        if (sent !== undefined) queue.publish({ kind: "artifactUpdate", data: sent });
      }
      return updates.end();
    } catch (error) {
      if (signal.aborted) return statusUpdate(context, TASK_STATE.CANCELED);
      const errorId = this.#ids.next().replaceAll("-", "").slice(-12);
      this.#logger.error({ error, errorId, taskId: context.taskId }, "a task has failed");
      return statusUpdate(context, TASK_STATE.FAILED, textMessage(context, `failed (error id ${errorId})`));
    }
  }

  async #end(context: RequestContext, queue: EventQueue, update: TaskStatusUpdateEvent): Promise<void> {
    const { afterExecuteCallback } = this.#config;
    const sent = afterExecuteCallback === undefined ? update : await afterExecuteCallback(context, update);
    if (sent !== undefined) queue.publish({ kind: "statusUpdate", data: sent });
  }

  #runConfig({ request }: RequestContext): Partial<RunConfig> {
    const { runConfig = DEFAULT_RUN_CONFIG } = this.#config;
    const { metadata } = request;
    if (metadata === undefined || Object.keys(metadata).length === 0) return runConfig;
    const given: JsonObject = isJsonObject(runConfig.customMetadata) ? runConfig.customMetadata : {};
    return { ...runConfig, customMetadata: { ...given, [GIVEN_METADATA_KEY]: metadata } };
  }
}

/** ADK's agents answer this to clients of the extension. */
const EXTENSION_ANSWER = { adk_agent_executor_v2: true };

type TaskIds = Pick<RequestContext, "taskId" | "contextId">;

function statusUpdate({ taskId, contextId }: TaskIds, state: TaskState, message?: Message): TaskStatusUpdateEvent {
  return { taskId, contextId, status: { state, message, timestamp: now() }, metadata: undefined };
}

function textMessage({ taskId, contextId }: TaskIds, value: string): Message {
  const part = { content: { $case: "text" as const, value }, metadata: undefined, filename: "", mediaType: "" };
  return {
    ...{ messageId: `${taskId}-end`, taskId, contextId, role: ROLE.AGENT, parts: [part] },
    ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
  };
}

function now(): string {
  return toIsoTime(systemClock.now());
}
