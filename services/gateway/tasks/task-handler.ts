import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { PushNotificationNotSupportedError, TaskNotCancelableError } from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { RouteDeps } from "../deps.ts";
import { callerOf } from "../identity/authenticator.ts";
import type { Scope } from "../identity/scopes.ts";
import { cancelInvocation } from "../runs/cancel-invocation.ts";
import { newestRun } from "../runs/newest-run.ts";
import { answersOf } from "../streams/answers-of.ts";
import { awaitRun } from "./await-run.ts";
import { findTask } from "./find-task.ts";
import type { UpdateSink } from "./follow-task.ts";
import { listTasks } from "./list-tasks.ts";
import { type A2aCall, startTask } from "./start-task.ts";
import { lengthOf, toA2aError } from "./task-errors.ts";
import type { TaskPushes } from "./task-pushes.ts";
import { sendStream, subscribe } from "./task-streams.ts";
import { readTaskEvents, type TaskForm, toTask, usesAdk } from "./task-view.ts";

export interface HandlerOptions extends A2aCall {
  readonly card: () => Promise<AgentCard>;
  readonly extendedCard: () => Promise<AgentCard>;
}

/**
 * Answers the operations of the protocol for one request. The task is the run, so any replica can answer; the SDK's own
 * handler keeps tasks and their events in its process.
 */
export class TaskHandler implements A2ARequestHandler {
  readonly #deps: RouteDeps;
  readonly #options: HandlerOptions;
  #sink: UpdateSink | undefined;
  #failure: unknown;
  #isCalled = false;

  constructor(deps: RouteDeps, options: HandlerOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * What an operation has thrown, unless it is an error of the protocol. The SDK's transports would answer it with its own
   * text, so the caller throws it again.
   */
  get failure(): unknown {
    return this.#failure;
  }

  /** Whether the request has reached an operation: what is thrown before that is a mistake in its form. */
  get isCalled(): boolean {
    return this.#isCalled;
  }

  getAgentCard(): Promise<AgentCard> {
    return this.#options.card();
  }

  getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    return this.#answer(undefined, () => this.#options.extendedCard());
  }

  sendMessage(params: SendMessageRequest): Promise<Message | Task> {
    return this.#answer("runs:write", async () => {
      const { historyLength, returnImmediately = false } = params.configuration ?? {};
      const form = { historyLength: lengthOf(historyLength), isAdk: usesAdk(this.#options.request) };
      const { first, run } = await startTask(this.#deps, this.#options, params, false);
      if (!returnImmediately) await awaitRun(this.#deps, this.#options, run);
      const newest = (await this.#deps.runJournal.get(run.runId)) ?? run;
      const events = await readTaskEvents(this.#deps, { first, newest, answers: this.#answers() });
      const isAnswered = newest.status === "succeeded" && first.runId === run.runId && !returnImmediately;
      return (isAnswered ? events.message : undefined) ?? toTask(this.#deps, { first, newest }, events, form);
    });
  }

  /** Has the sink take what follows the first update of this request's stream. */
  passUpdatesTo(sink: UpdateSink): void {
    this.#sink = sink;
  }

  sendMessageStream(params: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    return this.#stream("runs:write", () => sendStream(this.#deps, this.#call, params));
  }

  resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    return this.#stream("sessions:read", () => subscribe(this.#deps, this.#call, id));
  }

  getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    return this.#answer("sessions:read", async () => {
      const form = { historyLength: lengthOf(historyLength), isAdk: usesAdk(this.#options.request) };
      return this.#view(id, form);
    });
  }

  listTasks(params: ListTasksRequest): Promise<ListTasksResponse> {
    return this.#answer("sessions:read", () => listTasks(this.#deps, this.#options, params));
  }

  cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    return this.#answer("runs:write", async () => {
      const { appName, request } = this.#options;
      const first = await findTask(this.#deps, appName, id);
      const newest = await newestRun(this.#deps, first);
      if (isTerminal(newest.status) && newest.status !== "awaiting_input") throw new TaskNotCancelableError();
      await cancelInvocation(this.#deps, first, callerOf(request).keyId);
      await this.#options.pushes?.goesOn(first);
      const last = await newestRun(this.#deps, (await this.#deps.runJournal.get(id)) ?? first);
      await awaitRun(this.#deps, this.#options, last);
      return this.#view(id, { isAdk: usesAdk(request) });
    });
  }

  createTaskPushNotificationConfig(params: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    return this.#push("runs:write", params.taskId, (pushes, first) => pushes.create(first, params));
  }

  getTaskPushNotificationConfig(params: GetTaskPushNotificationConfigRequest): Promise<TaskPushNotificationConfig> {
    return this.#push("sessions:read", params.taskId, (pushes, first) => pushes.get(first, params.id));
  }

  listTaskPushNotificationConfigs({
    taskId,
  }: ListTaskPushNotificationConfigsRequest): Promise<ListTaskPushNotificationConfigsResponse> {
    return this.#push("sessions:read", taskId, (pushes, first) => pushes.list(first));
  }

  deleteTaskPushNotificationConfig(params: DeleteTaskPushNotificationConfigRequest): Promise<void> {
    return this.#push("runs:write", params.taskId, (pushes, first) => pushes.delete(first, params.id));
  }

  #push<Answer>(
    scope: Scope,
    taskId: string,
    work: (pushes: TaskPushes, first: RunRecord) => Promise<Answer>,
  ): Promise<Answer> {
    return this.#answer(scope, async () => {
      const { appName, pushes } = this.#options;
      if (pushes === undefined) throw new PushNotificationNotSupportedError();
      return work(pushes, await findTask(this.#deps, appName, taskId));
    });
  }

  get #call(): A2aCall {
    return { ...this.#options, sink: this.#sink };
  }

  async #view(id: string, form: TaskForm): Promise<Task> {
    const first = await findTask(this.#deps, this.#options.appName, id);
    const newest = await newestRun(this.#deps, first);
    const events = await readTaskEvents(this.#deps, { first, newest, answers: this.#answers() });
    return toTask(this.#deps, { first, newest }, events, form);
  }

  #answers() {
    return answersOf(this.#deps, this.#options.request);
  }

  async #answer<Answer>(scope: Scope | undefined, work: () => Promise<Answer>): Promise<Answer> {
    try {
      this.#begin(scope);
      return await work();
    } catch (error) {
      throw this.#noted(error);
    }
  }

  async *#stream(
    scope: Scope,
    open: () => AsyncGenerator<StreamResponse, void, undefined>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      this.#begin(scope);
      yield* open();
    } catch (error) {
      throw this.#noted(error);
    }
  }

  #noted(error: unknown): unknown {
    const known = toA2aError(error);
    if (known === undefined) this.#failure = error;
    return known ?? error;
  }

  #begin(scope: Scope | undefined): void {
    this.#isCalled = true;
    if (scope === undefined || callerOf(this.#options.request).scopes.has(scope)) return;
    throw new PlatformError("SCOPE_MISSING", `The caller lacks the scope ${scope}, which this operation needs.`, {
      details: { scope },
    });
  }
}
