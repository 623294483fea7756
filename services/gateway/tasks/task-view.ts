import { type Artifact, type Message, Role, type Task } from "@a2a-js/sdk";
import type { FastifyRequest } from "fastify";
import { ADK_EXTENSION_URI } from "#kit/a2a/conversion/metadata-keys.ts";
import { restoreEventJson } from "#kit/artifacts/inline-data.ts";
import { USER_AUTHOR } from "#kit/events/event.ts";
import { fromRecordJson } from "#kit/events/event-record.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { RouteDeps } from "../deps.ts";
import { StoredEventReader } from "../streams/stored-events.ts";
import { METADATA } from "./protocol.ts";
import { statusOf } from "./task-status.ts";
import { messageOf, type TaskName, TaskUpdates } from "./task-updates.ts";

/** Most characters of a task's artifacts, and of its messages, that one answer has: the newest ones. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MAX_MESSAGES = 1000;
/** Clocks of runners differ. Later events are of other invocations. */
const CLOCK_SKEW_MS = 60_000;

export interface TaskEvents {
  readonly artifacts: readonly Artifact[];
  readonly history: readonly Message[];
  /** Sequence of the newest event that was read; 0 for none. */
  readonly sequence: number;
  /** Sequence of the newest event of an agent. */
  readonly agentSequence: number;
  /** What shows the events after these. */
  readonly updates: TaskUpdates;
  /** The answer, if its agent gives it as a message. */
  readonly message: Message | undefined;
}

export interface ReadOptions {
  readonly first: RunRecord;
  readonly newest: RunRecord;
  readonly answers: AnswerReader;
  /** The last sequence to read; all if absent. */
  readonly upTo?: number | undefined;
}

export function nameOf({ runId, session }: RunRecord): TaskName {
  return { taskId: runId, session };
}

/** Reads the stored events of a task from its first run on. */
export async function readTaskEvents(deps: RouteDeps, options: ReadOptions): Promise<TaskEvents> {
  const { first, newest, answers, upTo = Number.POSITIVE_INFINITY } = options;
  const { session, invocationId, baseRevision } = first;
  const task = nameOf(first);
  const updates = new TaskUpdates(task);
  const artifacts = new Newest<Artifact>();
  const history = new Newest<Message>();
  const endTime = (newest.finishedTime ?? Number.POSITIVE_INFINITY) + CLOCK_SKEW_MS;
  let read = { sequence: 0, agentSequence: 0 };
  let message: Message | undefined;
  using reader = new StoredEventReader({ ...deps, answers }, { session, afterRevision: baseRevision });
  reading: while (await reader.load()) {
    for (let record = reader.next(); record !== undefined; record = reader.next()) {
      const { sequence, author, json } = record;
      if (sequence > upTo || record.timestamp > endTime) break reading;
      if (record.invocationId !== invocationId || record.outside === true) continue;
      const event = fromRecordJson(await restoreEventJson(json, { artifacts: deps.artifactService, session }));
      const shown = updates.show(event, sequence);
      read = { sequence, agentSequence: author === USER_AUTHOR ? read.agentSequence : sequence };
      if (shown.artifact !== undefined) artifacts.add(shown.artifact.artifact, json.length);
      if (shown.message !== undefined) history.add(shown.message, json.length);
      if (author === USER_AUTHOR) continue;
      const isMessage = isJsonObject(event.customMetadata) && event.customMetadata[METADATA.answer] === "message";
      const parts = isMessage ? shown.artifact?.artifact.parts : undefined;
      message = parts && { ...messageOf(task, { messageId: event.id, role: Role.ROLE_AGENT, parts }), taskId: "" };
    }
  }
  return { ...read, artifacts: artifacts.items, history: history.items, updates, message };
}

export interface TaskForm {
  /** All messages if absent. */
  readonly historyLength?: number | undefined;
  readonly hasArtifacts?: boolean;
  /** Whether the client uses ADK's extension, and so reads its metadata. */
  readonly isAdk?: boolean;
}

export async function toTask(
  deps: RouteDeps,
  { first, newest }: Pick<ReadOptions, "first" | "newest">,
  { artifacts, history }: Pick<TaskEvents, "artifacts" | "history">,
  { historyLength = MAX_MESSAGES, hasArtifacts = true, isAdk = false }: TaskForm = {},
): Promise<Task> {
  const { runId, session } = first;
  return {
    id: runId,
    contextId: session.id,
    status: await statusOf(deps, nameOf(first), newest),
    artifacts: hasArtifacts ? [...artifacts] : [],
    history: historyLength === 0 ? [] : history.slice(-historyLength),
    metadata: isAdk ? adkMetadata(session) : undefined,
  };
}

/** The metadata of a task that clients read if they use ADK's extension. */
export function adkMetadata({ appName, userId, id }: SessionKey): JsonObject {
  return {
    [ADK_EXTENSION_URI]: { adk_agent_executor_v2: true },
    adk_app_name: appName,
    adk_user_id: userId,
    adk_session_id: id,
  };
}

/** Whether the request names the extension, in the header of either version. */
export function usesAdk({ headers }: Pick<FastifyRequest, "headers">): boolean {
  const given = headers["a2a-extensions"] ?? headers["x-a2a-extensions"];
  return typeof given === "string" && given.includes(ADK_EXTENSION_URI);
}

/** The last items that fit together. */
class Newest<Item> {
  readonly #items: { readonly item: Item; readonly characters: number }[] = [];
  #characters = 0;

  get items(): readonly Item[] {
    return this.#items.map(({ item }) => item);
  }

  add(item: Item, characters: number): void {
    this.#items.push({ item, characters });
    this.#characters += characters;
    while (this.#items.length > 1 && (this.#characters > MAX_CHARACTERS || this.#items.length > MAX_MESSAGES))
      this.#characters -= this.#items.shift()?.characters ?? 0;
  }
}
