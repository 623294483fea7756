import type { Content, FunctionCall, FunctionResponse, Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { newKey } from "./api-path.ts";
import { callsOf, filesOf, responsesOf, textOf, thoughtsOf, toMessage } from "./event-parts.ts";
import type { RunUpdate, WaitingCall } from "./wire-types.ts";

/** One event as a page shows it. */
export interface ConversationMessage {
  /** The event's id; of a message that was added by `addUserMessage` an id of its own. */
  readonly id: string;
  /** `user`, or the agent's name. */
  readonly author: string;
  readonly invocationId: string;
  readonly text: string;
  /** The model's thoughts. */
  readonly thoughts: string;
  readonly files: readonly Part[];
  readonly calls: readonly FunctionCall[];
  readonly responses: readonly FunctionResponse[];
  /** The chunks so far; the complete event will replace them. */
  readonly isPartial: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** What a page shows of a session. Never changed in place: messages that stay the same are the same objects. */
export interface Conversation {
  readonly messages: readonly ConversationMessage[];
  /** Calls of long-running tools and requests of confirmation that have no response yet. */
  readonly waitingCalls: readonly WaitingCall[];
}

/** The conversation of a new session. */
export const EMPTY_CONVERSATION: Conversation = { messages: [], waitingCalls: [] };

/** The conversation of a stored session: `conversationOf((await client.sessions.get(key)).events)`. */
export function conversationOf(events: readonly Event[]): Conversation {
  return events.reduce(addEvent, EMPTY_CONVERSATION);
}

/** The conversation with the user's own message, which a run's stream does not contain. */
export function addUserMessage(conversation: Conversation, message: string | readonly Part[] | Content): Conversation {
  const content = toMessage(message);
  // The members that a message and the waiting calls are made of.
  return addEvent(conversation, { id: newKey(), author: "user", invocationId: "", content } as Event);
}

/**
 * The conversation after an update of a run's stream: text grows with each chunk, complete events replace their chunks,
 * and chunks that became void are removed. At the end of a run it is the conversation of the stored session.
 */
export function addUpdate(conversation: Conversation, update: RunUpdate): Conversation {
  if (update.kind === "event") return addEvent(conversation, update.event);
  if (update.kind === "reconnecting") return conversation;
  update.kind satisfies "reset" | "end";
  const complete = conversation.messages.filter(({ isPartial }) => !isPartial);
  return withMessages(conversation, complete);
}

function addEvent(conversation: Conversation, event: Event): Conversation {
  const { messages } = conversation;
  const index = messages.findLastIndex(({ id }) => id === event.id);
  const before = messages[index];
  // A repeated event.
  if (before?.isPartial === false) return conversation;
  if (event.partial === true) return withMessages(conversation, put(messages, index, addChunk(before, event)));
  const { rewindBeforeInvocationId: rewound, compaction } = event.actions ?? {};
  if (rewound !== undefined) return rewind(conversation, rewound);
  const message = compaction === undefined ? toMessageOf(event) : undefined;
  return { messages: put(messages, index, message), waitingCalls: waitingCallsAfter(conversation, event) };
}

function withMessages(conversation: Conversation, messages: readonly ConversationMessage[]): Conversation {
  return { ...conversation, messages };
}

/** Replaces the message at the index, adds it if the index is -1, or removes what is there. */
function put(
  messages: readonly ConversationMessage[],
  index: number,
  message: ConversationMessage | undefined,
): readonly ConversationMessage[] {
  if (index === -1) return message === undefined ? messages : [...messages, message];
  return message === undefined ? messages.toSpliced(index, 1) : messages.with(index, message);
}

/** Of a chunk only its text counts: calls and files are complete in the complete event alone. */
function addChunk(before: ConversationMessage | undefined, event: Event): ConversationMessage | undefined {
  const [text, thoughts] = [textOf(event), thoughtsOf(event)];
  if (before !== undefined) return { ...before, text: before.text + text, thoughts: before.thoughts + thoughts };
  const { id, author, invocationId } = event;
  if (text + thoughts === "") return undefined;
  return { id, author, invocationId, text, thoughts, files: [], calls: [], responses: [], isPartial: true };
}

/** Undefined if there is nothing to show, for example in a change of state. */
function toMessageOf(event: Event): ConversationMessage | undefined {
  const { id, author, invocationId, errorCode: code, errorMessage = "" } = event;
  const [text, thoughts, files] = [textOf(event), thoughtsOf(event), filesOf(event)];
  const [calls, responses] = [callsOf(event), responsesOf(event)];
  const count = files.length + calls.length + responses.length;
  if (text + thoughts === "" && code === undefined && count === 0) return undefined;
  const message = { id, author, invocationId, text, thoughts, files, calls, responses, isPartial: false };
  return code === undefined ? message : { ...message, error: { code, message: errorMessage } };
}

/** A rewound session continues from before the named invocation. */
function rewind({ messages }: Conversation, invocationId: string): Conversation {
  const from = messages.findIndex((message) => message.invocationId === invocationId);
  return { messages: from === -1 ? messages : messages.slice(0, from), waitingCalls: [] };
}

function waitingCallsAfter({ waitingCalls }: Conversation, event: Event): readonly WaitingCall[] {
  const { id: eventId, author, longRunningToolIds = [] } = event;
  const answered: readonly unknown[] = responsesOf(event).map(({ id = "" }) => id);
  const asked = callsOf(event).flatMap(({ id, name = "", args = {} }) =>
    id !== undefined && longRunningToolIds.includes(id) ? [{ id, name, args, eventId, author }] : [],
  );
  if (asked.length + answered.length === 0) return waitingCalls;
  // A question is over when the call that it is about has a response: a run's stream does not contain the answer.
  return [
    ...waitingCalls.filter(
      ({ id, args }) =>
        ![id, Object(args["originalFunctionCall"]).id ?? args["functionCallId"]].some((one) => answered.includes(one)),
    ),
    ...asked,
  ];
}
