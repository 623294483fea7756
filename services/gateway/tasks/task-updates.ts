import {
  type Part as A2aPart,
  type Artifact,
  type Message,
  Role,
  type StreamResponse,
  TaskState,
  type TaskStatus,
} from "@a2a-js/sdk";
import { toA2aPart } from "#kit/a2a/conversion/part-converter.ts";
import type { Part } from "#kit/events/content.ts";
import { type Event, USER_AUTHOR } from "#kit/events/event.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RunCursor } from "#ports/runs/run-stream.ts";
import { CURSOR_EXTENSION, METADATA } from "./protocol.ts";

/** A task's id, and the session that is its context. */
export interface TaskName {
  readonly taskId: string;
  readonly session: SessionKey;
}

/** One event of a task's invocation for clients: parts of its artifacts, and messages of its history. */
export interface EventView {
  readonly artifact?:
    | { readonly artifact: Artifact; readonly append: boolean; readonly lastChunk: boolean }
    | undefined;
  /** A message of the user, or what the agent does before its answer: calls, responses, code and thoughts. */
  readonly message?: Message | undefined;
}

interface Lane {
  /** Sequence of the lane's newest stored event. */
  after: number;
  /** Whether chunks of its next event were shown. */
  isOpen: boolean;
}

/**
 * Shows the events of an invocation, in their order. Each answer is an artifact. Its chunks are appended to it, and the
 * complete event replaces them: a client that misses chunks, or gets some of an attempt whose runner was lost, has the
 * whole answer in the end.
 *
 * The id of an artifact is its agent's branch and the sequence of that branch's event before it, so that chunks and all
 * replicas agree on it.
 */
export class TaskUpdates {
  readonly #task: TaskName;
  readonly #lanes = new Map<string, Lane>();

  constructor(task: TaskName) {
    this.#task = task;
  }

  /** `sequence` is 0 for a chunk. */
  show(event: Event, sequence: number): EventView {
    if (event.author === USER_AUTHOR) return { message: this.#userMessage(event) };
    const lane = this.#laneOf(event);
    const artifactId = `${event.branch ?? event.author}.${lane.after}`;
    const { outputs, others } = partsOf(event);
    const isChunk = event.partial === true;
    const append = isChunk && lane.isOpen;
    if (isChunk) lane.isOpen ||= outputs.length > 0;
    else {
      lane.after = sequence;
      lane.isOpen = false;
    }
    const artifact = { artifactId, name: event.author, description: "", parts: outputs, metadata: {}, extensions: [] };
    return {
      artifact: outputs.length === 0 ? undefined : { artifact, append, lastChunk: !isChunk },
      message: isChunk || others.length === 0 ? undefined : this.#message(event.id, Role.ROLE_AGENT, others),
    };
  }

  /** Another runner has recovered the run: the chunks after the last complete event are void. */
  restart(): void {
    for (const lane of this.#lanes.values()) lane.isOpen = false;
  }

  /** The updates of a stream that show the event. */
  *updates(event: Event, sequence: number, cursor: RunCursor | undefined): Generator<StreamResponse, void, undefined> {
    const { artifact, message } = this.show(event, sequence);
    const { taskId, session } = this.#task;
    const metadata = {
      adk_author: event.author,
      adk_event_id: event.id,
      adk_invocation_id: event.invocationId,
      ...(cursor === undefined ? {} : { [CURSOR_EXTENSION]: { cursor } }),
    };
    if (artifact !== undefined)
      yield { payload: { $case: "artifactUpdate", value: { taskId, contextId: session.id, ...artifact, metadata } } };
    if (message === undefined || event.author === USER_AUTHOR) return;
    const status = { state: TaskState.TASK_STATE_WORKING, message, timestamp: toIsoTime(event.timestamp) };
    yield this.status(status, metadata);
  }

  status(status: TaskStatus, metadata: JsonObject = {}): StreamResponse {
    const { taskId, session } = this.#task;
    return { payload: { $case: "statusUpdate", value: { taskId, contextId: session.id, status, metadata } } };
  }

  #laneOf({ branch, author }: Event): Lane {
    const name = branch ?? author;
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = { after: 0, isOpen: false };
      this.#lanes.set(name, lane);
    }
    return lane;
  }

  #userMessage({ id, content, customMetadata }: Event): Message | undefined {
    const parts = (content?.parts ?? [])
      .map(asked)
      .map((part) => toA2aPart(part))
      .filter((part) => part !== undefined);
    if (parts.length === 0) return undefined;
    const given = isJsonObject(customMetadata) ? customMetadata[METADATA.messageId] : undefined;
    return this.#message(typeof given === "string" ? given : id, Role.ROLE_USER, parts);
  }

  #message(messageId: string, role: Role, parts: A2aPart[]): Message {
    return messageOf(this.#task, { messageId, role, parts });
  }
}

export function messageOf(
  { taskId, session }: TaskName,
  given: Pick<Message, "messageId" | "role" | "parts">,
): Message {
  return { ...given, taskId, contextId: session.id, metadata: undefined, extensions: [], referenceTaskIds: [] };
}

/** The member of a response that has a client's text, which was no response. */
export const ANSWER = "answer";

/** A client's text that answered a call is a text in the history too. */
function asked(part: Part): Part {
  const response = part.functionResponse?.response;
  const text = response?.[ANSWER];
  return typeof text === "string" && Object.keys(response ?? {}).length === 1 ? { text } : part;
}

interface SortedParts {
  /** Text, files and data of an answer. */
  readonly outputs: A2aPart[];
  readonly others: A2aPart[];
}

/** Calls that wait for an answer are left out: the message of the task's status has them. */
function partsOf({ content, longRunningToolIds = [] }: Event): SortedParts {
  const outputs: A2aPart[] = [];
  const others: A2aPart[] = [];
  for (const part of content?.parts ?? []) {
    if (part.text === "" || longRunningToolIds.includes(part.functionCall?.id ?? "")) continue;
    const shown = toA2aPart(part);
    if (shown !== undefined) (isOutput(part) ? outputs : others).push(shown);
  }
  return { outputs, others };
}

function isOutput({ text, thought, inlineData, fileData }: Part): boolean {
  return (text !== undefined && thought !== true) || inlineData !== undefined || fileData !== undefined;
}
