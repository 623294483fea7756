import type { Message, StreamResponse, Task, TaskState, TaskStatus } from "@a2a-js/sdk";
import type { RequestOptions } from "@a2a-js/sdk/client";
import type { EventMembers } from "#kit/a2a/conversion/event-metadata.ts";
import { fromMessage, fromStatus } from "#kit/a2a/conversion/from-a2a.ts";
import { isEnded, isPaused, TASK_STATE } from "#kit/a2a/conversion/protocol.ts";
import { A2AClientError } from "#kit/errors/a2a-errors.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { ArtifactAssembly, type ArtifactProgress, type AssembledEvent } from "./artifact-assembly.ts";
import type { A2AClient } from "./peer-client.ts";

/** What a remote's answers become: an event, or the name of the task that now works. */
export type TaskOutput =
  | { readonly kind: "task"; readonly taskId: string; readonly contextId: string }
  | ({ readonly kind: "event"; readonly answer: "artifact" | "message" | "status" } & AssembledEvent)
  /** The last one. `state` is undefined for an answer without a task. */
  | { readonly kind: "end"; readonly state: TaskState | undefined; readonly members: EventMembers };

interface RemoteTaskOptions {
  readonly client: A2AClient;
  readonly request: RequestOptions;
  readonly signal: AbortSignal;
  readonly progress: readonly ArtifactProgress[];
}

/** Most parts of one answer, and of all artifacts of a task together. */
const MAX_PARTS = 10_000;
/** Most updates of one task that one run reads. */
const MAX_UPDATES = 100_000;
/** How often a task is asked for whose stream has ended early, without anything new. */
const MAX_IDLE_READS = 600;
const POLL_MS = 1_000;
/** How many tasks, and messages of each, a search for a message reads. */
const SEARCHED = 50;

/** Follows one task of a remote until it ends or waits. Its answers are bounded, and belong to this task. */
export class RemoteTask {
  readonly #options: RemoteTaskOptions;
  readonly #artifacts: ArtifactAssembly;
  #taskId = "";
  #contextId = "";
  #updates = 0;
  #status: TaskStatus | undefined;
  /** Statuses whose messages are in events. */
  readonly #shown = new Set<string>();

  constructor(options: RemoteTaskOptions) {
    this.#options = options;
    this.#artifacts = new ArtifactAssembly(options.progress);
  }

  /** The task that works; empty if there is none, or it has ended or waits. */
  get activeTaskId(): string {
    return this.#isSettled ? "" : this.#taskId;
  }

  /**
   * Sends the message, and follows what comes of it. A message that was perhaps sent by a lost runner is searched for first:
   * not all agents know it by its id. Throws `A2AClientError`.
   */
  async *send(message: Message, mayBeSent = false): AsyncGenerator<TaskOutput, void, undefined> {
    const request = { tenant: "", message, configuration: undefined, metadata: undefined };
    const { client } = this.#options;
    if (message.taskId !== "") this.#name(message.taskId, message.contextId);
    const sent = mayBeSent ? await this.#taskOf(message) : undefined;
    if (sent !== undefined) {
      yield* this.#takeTask(sent);
      return yield* this.#rest();
    }
    for await (const answer of client.sendMessageStream(request, this.#options.request)) {
      const { payload } = answer;
      if (payload?.$case === "message" && this.#taskId === "") {
        this.#count(payload.value.parts.length);
        const { contextId } = payload.value;
        if (contextId !== "") yield { kind: "task", taskId: "", contextId };
        yield { kind: "end", state: undefined, members: { ...fromMessage(payload.value), turnComplete: true } };
        return;
      }
      yield* this.#take(answer);
      // A waiting task that gets its answer may be shown once as it stood.
      const mayBeOld = message.taskId !== "" && payload?.$case === "task" && !isEnded(this.#state);
      if (this.#isSettled && !mayBeOld) break;
    }
    if (this.#taskId === "")
      throw new A2AClientError("The remote agent has not answered: it sent neither a message nor a task.");
    yield* this.#rest();
  }

  /** Follows a task that an earlier run has begun. Throws `A2AClientError`. */
  async *follow(taskId: string, contextId: string): AsyncGenerator<TaskOutput, void, undefined> {
    this.#name(taskId, contextId);
    yield* this.#takeTask(await this.#read());
    yield* this.#rest();
  }

  /** Follows the task on further streams until it ends or waits, and returns its end. */
  async *#rest(): AsyncGenerator<TaskOutput, void, undefined> {
    const { client, request, signal } = this.#options;
    for (let idle = 0; !this.#isSettled; ) {
      if (idle > MAX_IDLE_READS)
        throw new A2AClientError("The remote agent's task does not end, and no stream shows it.");
      const before = this.#updates;
      try {
        for await (const answer of client.resubscribeTask({ tenant: "", id: this.#taskId }, request)) {
          yield* this.#take(answer);
          if (this.#isSettled) break;
        }
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof A2AClientError) throw error;
        // Not all agents have streams; and the task may have ended meanwhile, which the next read shows.
      }
      if (this.#isSettled) break;
      // The first answer of a stream is the task as it stands, which is nothing new.
      idle = this.#updates > before + 1 ? 0 : idle + 1;
      yield* this.#takeTask(await this.#read());
      if (!this.#isSettled) await sleep(POLL_MS, signal);
    }
    for (const event of this.#artifacts.flush()) yield { kind: "event", answer: "artifact", ...event };
    yield { kind: "end", state: this.#status?.state, members: fromStatus(this.#status) };
  }

  /** The task that has the message; undefined if there is none, or the agent cannot say. */
  async #taskOf({ messageId, taskId, contextId }: Message): Promise<Task | undefined> {
    const { client, request, signal } = this.#options;
    const hasMessage = ({ history }: Task) => history.some((message) => message.messageId === messageId);
    try {
      if (taskId !== "") {
        const task = await client.getTask({ tenant: "", id: taskId, historyLength: SEARCHED }, request);
        return hasMessage(task) || !isPaused(stateOf(task)) ? task : undefined;
      }
      const page = { pageSize: SEARCHED, pageToken: "", historyLength: SEARCHED };
      const filter = { contextId, status: TASK_STATE.UNSPECIFIED, statusTimestampAfter: undefined };
      const found = (await client.listTasks?.({ tenant: "", ...page, ...filter }, request))?.tasks.find(hasMessage);
      return found && (await client.getTask({ tenant: "", id: found.id, historyLength: 0 }, request));
    } catch {
      signal.throwIfAborted();
      // The message is sent again with its id, and many agents know it by that.
      return undefined;
    }
  }

  get #state(): TaskState {
    return this.#status?.state ?? TASK_STATE.WORKING;
  }

  get #isSettled(): boolean {
    return isEnded(this.#state) || isPaused(this.#state);
  }

  #read(): Promise<Task> {
    const { client, request } = this.#options;
    return client.getTask({ tenant: "", id: this.#taskId, historyLength: 0 }, request);
  }

  *#take({ payload }: StreamResponse): Generator<TaskOutput, void, undefined> {
    switch (payload?.$case) {
      case "task":
        yield* this.#takeTask(payload.value);
        break;
      case "artifactUpdate": {
        const { taskId, contextId, artifact } = payload.value;
        yield* this.#named(taskId, contextId);
        this.#count(artifact?.parts.length ?? 0);
        const event = this.#artifacts.take(payload.value);
        if (event !== undefined) yield { kind: "event", answer: "artifact", ...event };
        break;
      }
      case "statusUpdate": {
        const { taskId, contextId, status } = payload.value;
        yield* this.#named(taskId, contextId);
        yield* this.#takeStatus(status);
        break;
      }
      case "message":
        // A task has its messages in its statuses.
        this.#count(payload.value.parts.length);
        break;
      default:
        break;
    }
  }

  *#takeTask(task: Task): Generator<TaskOutput, void, undefined> {
    yield* this.#named(task.id, task.contextId);
    this.#artifacts.takeTask(task.artifacts);
    this.#count(0);
    const state = stateOf(task);
    // The complete events of a task that has ended or waits follow at once.
    if (!isEnded(state) && !isPaused(state))
      for (const chunk of this.#artifacts.unseen()) yield { kind: "event", answer: "artifact", ...chunk };
    yield* this.#takeStatus(task.status);
  }

  *#takeStatus(status: TaskStatus | undefined): Generator<TaskOutput, void, undefined> {
    this.#count(status?.message?.parts.length ?? 0);
    this.#status = status;
    const message = status?.message;
    // The message of the last status is part of the end.
    if (message === undefined || this.#isSettled || this.#shown.has(message.messageId)) return;
    if (this.#shown.size < MAX_PARTS) this.#shown.add(message.messageId);
    const members = fromStatus(status);
    if (members.content !== undefined) yield { kind: "event", answer: "status", members };
  }

  *#named(taskId: string, contextId: string): Generator<TaskOutput, void, undefined> {
    if (this.#name(taskId, contextId)) yield { kind: "task", taskId, contextId };
  }

  /** Whether the task is new. Throws for any other than the first. */
  #name(taskId: string, contextId: string): boolean {
    if (taskId === "" || (this.#taskId !== "" && taskId !== this.#taskId))
      throw new A2AClientError("The remote agent has answered for another task than the one that it was asked about.");
    const isNew = this.#taskId === "";
    if (!isNew && this.#contextId !== "" && contextId !== "" && contextId !== this.#contextId)
      throw new A2AClientError(
        "The remote agent has answered for another context than the one that it was asked about.",
      );
    this.#taskId = taskId;
    this.#contextId ||= contextId;
    return isNew;
  }

  #count(parts: number): void {
    this.#updates += 1;
    if (this.#updates > MAX_UPDATES)
      throw new A2AClientError(`The remote agent's task has more than ${MAX_UPDATES} updates.`);
    if (parts > MAX_PARTS || this.#artifacts.size > MAX_PARTS)
      throw new A2AClientError(`The remote agent's answer has more than ${MAX_PARTS} parts.`);
  }
}

function stateOf({ status }: Task): TaskState {
  return status?.state ?? TASK_STATE.WORKING;
}
