import type {
  Part as A2APart,
  Artifact,
  Message,
  TaskArtifactUpdateEvent,
  TaskState,
  TaskStatus,
  TaskStatusUpdateEvent,
} from "@a2a-js/sdk";
import { type Content, type Part, textOf } from "#kit/events/content.ts";
import { type EventMembers, fromA2aMetadata } from "./event-metadata.ts";
import { fromA2aPart, isLongRunningPart } from "./part-converter.ts";
import { isEnded, isPaused, ROLE, TASK_STATE } from "./protocol.ts";

/** The members of an event that a message has. */
export function fromMessage({ role, parts, metadata }: Message): EventMembers {
  return { ...fromA2aMetadata(metadata), ...partsOf(parts, role === ROLE.USER ? "user" : "model") };
}

/** The members of an event that a whole artifact has. */
export function fromArtifact({ parts, metadata }: Artifact): EventMembers {
  const { partial: _, ...members } = fromA2aMetadata(metadata);
  return { ...members, ...partsOf(parts, "model") };
}

/** The members of a chunk or a complete event that an update of an artifact has; undefined if it has no parts. */
export function fromArtifactUpdate(update: TaskArtifactUpdateEvent): EventMembers | undefined {
  const { artifact, append, lastChunk, metadata } = update;
  if (artifact === undefined || artifact.parts.length === 0) return undefined;
  const isPartial = append || !lastChunk;
  return { ...fromA2aMetadata(metadata), ...fromArtifact(artifact), ...(isPartial ? { partial: true } : {}) };
}

/** The members of an event that an update of a task's status has. */
export function fromStatusUpdate({ status, metadata }: TaskStatusUpdateEvent): EventMembers {
  return { ...fromA2aMetadata(metadata), ...fromStatus(status) };
}

/**
 * The members of an event that a task's status has. What an agent says while it works are its thoughts; the message of
 * a failed task is an error message; a task that has ended or waits completes the turn.
 */
export function fromStatus(status: TaskStatus | undefined): EventMembers {
  const state: TaskState = status?.state ?? TASK_STATE.WORKING;
  const members: EventMembers = status?.message === undefined ? {} : fromMessage(status.message);
  const { content, ...others } = members;
  if (isFailure(state)) {
    const { longRunningToolIds: _, ...rest } = others;
    const errorMessage = textOf(content);
    return errorMessage === "" ? { ...rest, turnComplete: true } : { ...rest, errorMessage, turnComplete: true };
  }
  if (isEnded(state) || isPaused(state)) {
    const { partial: _, ...rest } = members;
    return { ...rest, turnComplete: true };
  }
  return content === undefined ? members : { ...others, content: thoughtsOf(content) };
}

function isFailure(state: TaskState): boolean {
  return state === TASK_STATE.FAILED || state === TASK_STATE.REJECTED;
}

function partsOf(
  given: readonly A2APart[],
  role: "user" | "model",
): Pick<EventMembers, "content" | "longRunningToolIds"> {
  const parts: Part[] = [];
  const longRunningToolIds: string[] = [];
  for (const one of given) {
    const part = fromA2aPart(one);
    if (part === undefined) continue;
    parts.push(part);
    const { id } = part.functionCall ?? {};
    if (id !== undefined && isLongRunningPart(one)) longRunningToolIds.push(id);
  }
  if (parts.length === 0) return {};
  return { content: { role, parts }, ...(longRunningToolIds.length === 0 ? {} : { longRunningToolIds }) };
}

function thoughtsOf({ parts = [], ...content }: Content): Content {
  return { ...content, parts: parts.map((part) => (part.text === undefined ? part : { ...part, thought: true })) };
}
