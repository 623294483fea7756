import { createHash } from "node:crypto";
import type { Message, TaskState } from "@a2a-js/sdk";
import type { EventMembers } from "#kit/a2a/conversion/event-metadata.ts";
import { toA2aPart } from "#kit/a2a/conversion/part-converter.ts";
import { ROLE, TASK_STATE } from "#kit/a2a/conversion/protocol.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { type FunctionResponse, type Part, textOf } from "#kit/events/content.ts";
import { type Event, functionCalls, functionResponses } from "#kit/events/event.ts";
import { CALL_ID_PREFIX, CREDENTIAL_CALL, INPUT_CALL } from "#kit/events/reserved-calls.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import type { Conversation } from "./unseen-message.ts";

/** Marks a question that the remote has asked in words, without a call. */
const IN_WORDS = "isRemoteQuestion";

/**
 * The event of a task that waits: its calls wait for the user, as the calls of this app's own tools do. A remote that
 * asks in words becomes a call of the framework, which clients show as a question.
 */
export function pauseQuestion(members: EventMembers, state: TaskState, ids: IdGenerator): EventMembers {
  const { content, longRunningToolIds = [], ...others } = members;
  if (longRunningToolIds.length > 0) return members;
  const calls = functionCalls(members).flatMap(({ id }) => id ?? []);
  if (calls.length > 0) return { ...members, longRunningToolIds: calls };
  const id = CALL_ID_PREFIX + ids.next();
  const name = state === TASK_STATE.AUTH_REQUIRED ? CREDENTIAL_CALL : INPUT_CALL;
  const message = textOf(content) || "The remote agent needs more to continue.";
  const question: Part = { functionCall: { id, name, args: { message, [IN_WORDS]: true } } };
  const parts = [...(content?.parts ?? []), question];
  return { ...others, content: { role: "model", parts }, longRunningToolIds: [id] };
}

/**
 * The user's answers as a message to the waiting task; undefined if the event answers none of the agent's calls. An
 * answer to a question in words is text, or data.
 */
export function replyTo(
  context: InvocationContext,
  event: Event,
  place: Conversation,
  name: string,
): Message | undefined {
  const asked = openCalls(context, name);
  const parts = functionResponses(event).flatMap((response) => {
    const inWords = asked.get(response.id ?? "");
    return inWords === undefined ? [] : [inWords ? answerInWords(response) : { functionResponse: response }];
  });
  if (parts.length === 0) return undefined;
  const digest = createHash("sha256").update(JSON.stringify([context.invocationId, event.id]));
  return {
    ...{ messageId: `adk-${digest.digest("hex").slice(0, 32)}`, ...place, role: ROLE.USER },
    parts: parts.map((part) => toA2aPart(part)).filter((part) => part !== undefined),
    ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
  };
}

/** The agent's calls that wait, each with whether it stands for a question in words. */
function openCalls({ session, branch }: InvocationContext, name: string): ReadonlyMap<string, boolean> {
  const calls = new Map<string, boolean>();
  for (const event of session.events) {
    if (event.author !== name || event.branch !== branch) continue;
    for (const { id = "", args } of functionCalls(event))
      if (event.longRunningToolIds?.includes(id)) calls.set(id, args?.[IN_WORDS] === true);
  }
  return calls;
}

function answerInWords({ response = {} }: FunctionResponse): Part {
  const values = Object.values(response);
  const [value] = values;
  if (values.length === 1 && typeof value === "string") return { text: value };
  return { text: JSON.stringify(isJsonObject(response) ? response : {}) };
}
