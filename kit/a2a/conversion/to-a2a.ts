import type { Part as A2APart, Message, TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { type Event, USER_AUTHOR } from "#kit/events/event.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import { toA2aMetadata } from "./event-metadata.ts";
import { toA2aPart } from "./part-converter.ts";
import { ROLE } from "./protocol.ts";

/** The task and the context to which a message or an update belongs. */
export interface TaskPlace {
  readonly taskId: string;
  readonly contextId: string;
}

/** The event's parts for a peer. Calls whose answers come later are marked. */
export function toA2aParts({
  content,
  longRunningToolIds = [],
}: Pick<Event, "content" | "longRunningToolIds">): A2APart[] {
  const parts: A2APart[] = [];
  for (const part of content?.parts ?? []) {
    const { id } = part.functionCall ?? {};
    const converted = toA2aPart(part, { isLongRunning: id !== undefined && longRunningToolIds.includes(id) });
    if (converted !== undefined) parts.push(converted);
  }
  return parts;
}

/** The event as a message of its author: the user, or the agent. */
export function toMessage(event: Event, { taskId, contextId }: TaskPlace): Message {
  return {
    ...{ messageId: event.id, taskId, contextId, parts: toA2aParts(event), metadata: toA2aMetadata(event) },
    role: event.author === USER_AUTHOR ? ROLE.USER : ROLE.AGENT,
    ...{ extensions: [], referenceTaskIds: [] },
  };
}

export interface ArtifactPlace extends TaskPlace {
  readonly artifactId: string;
  /** Whether the parts are added to the parts of the artifact that were sent before; they replace them if not. */
  readonly append: boolean;
}

/** The event as an update of an artifact; undefined if it has no parts. A complete event is the last chunk. */
export function toArtifactUpdate(event: Event, place: ArtifactPlace): TaskArtifactUpdateEvent | undefined {
  const { taskId, contextId, artifactId, append } = place;
  const parts = toA2aParts(event);
  if (parts.length === 0) return undefined;
  const artifact = { artifactId, name: event.author, description: "", parts, metadata: toA2aMetadata(event) };
  return {
    ...{ taskId, contextId, append, lastChunk: event.partial !== true, metadata: undefined },
    artifact: { ...artifact, extensions: [] },
  };
}

/** The event as the message of a task's status; a status without a message if the event has no parts. */
export function toStatusUpdate(event: Event, place: TaskPlace & { readonly state: TaskState }): TaskStatusUpdateEvent {
  const { taskId, contextId, state } = place;
  const message = toMessage(event, place);
  const metadata = message.metadata;
  return {
    ...{ taskId, contextId, metadata },
    status: { state, message: message.parts.length === 0 ? undefined : message, timestamp: toIsoTime(event.timestamp) },
  };
}
