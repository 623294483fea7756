import { isJsonObject, type JsonObject, type JsonValue } from "../platform/json.ts";
import type { CacheMetadata } from "./cache-metadata.ts";
import type { Content, FunctionCall, FunctionResponse, Transcription, UsageMetadata } from "./content.ts";
import { type EventActions, NO_ACTIONS } from "./event-actions.ts";

/** The author of a person's messages. */
export const USER_AUTHOR = "user";

/** One entry of a session's history, or (if `partial`) a chunk of one that is only streamed. Plain data. */
export interface Event {
  readonly id: string;
  readonly invocationId: string;
  /** Agent name, or the literal `user`. */
  readonly author: string;
  /** Integer milliseconds since the epoch; never used for order. */
  readonly timestamp: number;
  readonly content?: Content;
  readonly actions: EventActions;
  readonly partial?: boolean;
  readonly turnComplete?: boolean;
  readonly interrupted?: boolean;
  /** Ids of the calls in this event whose response comes later. */
  readonly longRunningToolIds?: readonly string[];
  /** Path of agent names with dots; absent on the trunk. Events of sibling branches do not see each other. */
  readonly branch?: string;
  /** A finish reason of the model, or a reason of our own for failures of the run. */
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly finishReason?: string;
  readonly usageMetadata?: UsageMetadata;
  readonly groundingMetadata?: JsonObject;
  readonly citationMetadata?: JsonObject;
  readonly avgLogprobs?: number;
  /** A list of key and value entries, or an object: kept in the form given. */
  readonly customMetadata?: JsonValue;
  readonly modelVersion?: string;
  readonly inputTranscription?: Transcription;
  readonly outputTranscription?: Transcription;
  /** The following members are signals of a live connection. */
  readonly generationComplete?: boolean;
  readonly turnCompleteReason?: string;
  readonly interactionStatus?: string;
  readonly voiceActivity?: JsonObject;
  readonly goAway?: { readonly timeLeft?: string };
  /** Without the handle, which is a secret of the server. */
  readonly liveSessionResumptionUpdate?: { readonly resumable?: boolean };
  readonly nodeInfo?: JsonObject;
  /**
   * The positions of agents that a later run may have to resume. In a resumable app it is part of `actions`, where
   * clients expect it only in such apps.
   */
  readonly resumption?: Resumption;
  /** The metadata of the provider's cache for the call. */
  readonly cacheMetadata?: CacheMetadata;
  /**
   * Set during a run on events that no run wrote. They are history: nothing in them is resumed, answered or executed.
   * Neither stored nor sent.
   */
  readonly outside?: true;
}

/** The members have the meaning of those in `EventActions`. */
export interface Resumption {
  readonly agentState?: JsonObject;
  readonly endOfAgent?: boolean;
}

export type EventInput = Omit<Event, "actions"> & { readonly actions?: EventActions };

/** Creates an event with its keys in the one order in which all events are serialised. */
export function createEvent(input: EventInput): Event {
  const { id, invocationId, author, timestamp, content, actions = NO_ACTIONS, ...rest } = input;
  return content === undefined
    ? { id, invocationId, author, timestamp, actions, ...rest }
    : { id, invocationId, author, timestamp, content, actions, ...rest };
}

/** The calls in an event, in their order; empty if there are none. */
export function functionCalls(event: Pick<Event, "content">): readonly FunctionCall[] {
  const calls: FunctionCall[] = [];
  for (const part of event.content?.parts ?? []) if (part.functionCall) calls.push(part.functionCall);
  return calls;
}

/** The responses in an event, in their order; empty if there are none. */
export function functionResponses(event: Pick<Event, "content">): readonly FunctionResponse[] {
  const responses: FunctionResponse[] = [];
  for (const part of event.content?.parts ?? []) if (part.functionResponse) responses.push(part.functionResponse);
  return responses;
}

/** Whether the last part of an event is the result of executed code, which the model has yet to read. */
export function hasTrailingCodeExecutionResult(event: Pick<Event, "content">): boolean {
  return event.content?.parts?.at(-1)?.codeExecutionResult !== undefined;
}

/**
 * Whether the event ends its agent's turn: it skips summarization, or waits for a long-running tool, or is complete and
 * neither calls a tool nor answers one nor ends in a code result.
 */
export function finalResponse(event: Event): boolean {
  if (event.actions.skipSummarization === true) return true;
  if (event.longRunningToolIds !== undefined && event.longRunningToolIds.length > 0) return true;
  if (event.partial === true) return false;
  for (const part of event.content?.parts ?? []) if (part.functionCall || part.functionResponse) return false;
  return !hasTrailingCodeExecutionResult(event);
}

/**
 * What an event says to a model that reads it later: its content or, for what was spoken on a live connection, the
 * complete transcript. Undefined for other events.
 *
 * @example
 * ```ts
 * saidContent({ outputTranscription: { text: "It is sunny.", finished: true } }); // content of the role "model"
 * ```
 */
export function saidContent(
  event: Pick<Event, "content" | "inputTranscription" | "outputTranscription">,
): Content | undefined {
  const { content, inputTranscription, outputTranscription } = event;
  if (content !== undefined) return content;
  const { text = "", finished } = inputTranscription ?? outputTranscription ?? {};
  if (finished !== true || text === "") return undefined;
  return { role: inputTranscription === undefined ? "model" : "user", parts: [{ text }] };
}

/**
 * Whether a client has sent the event's content or state itself, so that it needs no copy. What it has spoken is an event
 * with a transcription, and its recorded sound one with an artifact.
 */
export function isOfClient({ author, inputTranscription, actions }: Event): boolean {
  if (author !== USER_AUTHOR || inputTranscription !== undefined) return false;
  return Object.keys(actions.artifactDelta).length === 0;
}

/** Whether the event changes the meaning of earlier events for a prompt. */
export function changesPast({ actions }: Event): boolean {
  return actions.compaction !== undefined || actions.rewindBeforeInvocationId !== undefined;
}

/** The member of an event's `customMetadata` that says that its session continues with another version of its agent. */
export const AGENT_REVISION_KEY = "fairlead:agentRevision";

/** The agent revisions before and after a change. */
export interface AgentRevisionChange {
  readonly from: string;
  readonly to: string;
}

/**
 * The event of a session that says that an invocation is executed on another agent revision than before. It has
 * no content, so that no model sees it, and is not a step of any agent.
 *
 * @example
 * ```ts
 * agentRevisionChange({ from: "4be0c1a2d93f", to: "a7720e51c9b4" }, { id, invocationId, author: "weather", timestamp });
 * // { …, customMetadata: { "fairlead:agentRevision": { from: "4be0c1a2d93f", to: "a7720e51c9b4" } } }
 * ```
 */
export function agentRevisionChange(
  { from, to }: AgentRevisionChange,
  names: Pick<Event, "id" | "invocationId" | "author" | "timestamp">,
): Event {
  return createEvent({ ...names, customMetadata: { [AGENT_REVISION_KEY]: { from, to } } });
}

/** Whether the event only says that the agent revision has changed. A message with such metadata of a client does not. */
export function isAgentRevisionChange({ author, content, customMetadata }: Event): boolean {
  if (author === USER_AUTHOR || content !== undefined || !isJsonObject(customMetadata)) return false;
  return Object.hasOwn(customMetadata, AGENT_REVISION_KEY);
}
