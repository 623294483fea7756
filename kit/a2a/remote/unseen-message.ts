import { createHash } from "node:crypto";
import type { Message } from "@a2a-js/sdk";
import { AdkMetadataKey } from "#kit/a2a/conversion/metadata-keys.ts";
import { toA2aPart } from "#kit/a2a/conversion/part-converter.ts";
import { ROLE } from "#kit/a2a/conversion/protocol.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { seesBranch } from "#kit/events/branch.ts";
import type { Part } from "#kit/events/content.ts";
import { type Event, USER_AUTHOR } from "#kit/events/event.ts";
import { quoteOtherAgent } from "#kit/history/quote-other-agent.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { conversationEvents } from "./own-request.ts";

/** The agent's place in its conversation with the remote. */
export interface Conversation {
  readonly contextId: string;
  /** The task of the agent's newest event; empty if there is none. */
  readonly taskId: string;
}

/**
 * The message with what the remote has not seen: the events after the agent's own newest one. What other agents did is
 * quoted. Undefined if there is nothing to send.
 *
 * The message's id depends on nothing but the events: if it is sent a second time, a peer can answer with the task that
 * it has.
 */
export function unseenMessage(context: InvocationContext, place: Conversation): Message | undefined {
  const events = unseenEvents(context);
  const parts = partsOf(context, events)
    .map((part) => toA2aPart(part))
    .filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const newest = events.at(-1)?.id ?? "";
  const digest = createHash("sha256").update(JSON.stringify([context.invocationId, context.branch ?? "", newest]));
  return {
    messageId: `adk-${digest.digest("hex").slice(0, 32)}`,
    ...{ ...place, role: ROLE.USER, parts, metadata: undefined, extensions: [], referenceTaskIds: [] },
  };
}

/** The conversation with the remote, by the agent's newest event that names it. */
export function conversationOf(context: InvocationContext): Conversation {
  const newest = newestAnswer(context);
  if (newest === undefined) return { contextId: "", taskId: "" };
  return { contextId: textIn(newest, AdkMetadataKey.CONTEXT_ID), taskId: textIn(newest, AdkMetadataKey.TASK_ID) };
}

/** The agent's newest event that the remote has sent. The framework closes the remote's open calls with events of its own. */
export function newestAnswer(context: InvocationContext): Event | undefined {
  const { session, agent, branch } = context;
  return conversationEvents(context, session.events).findLast(
    (event) =>
      event.author === agent.name && event.branch === branch && textIn(event, AdkMetadataKey.CONTEXT_ID) !== "",
  );
}

function textIn({ customMetadata }: Event, key: string): string {
  const value = isJsonObject(customMetadata) ? customMetadata[key] : undefined;
  return typeof value === "string" ? value : "";
}

function unseenEvents(context: InvocationContext): readonly Event[] {
  const { session, agent, branch } = context;
  const events = conversationEvents(context, session.events);
  const own = events.findLastIndex((event) => event.author === agent.name && event.branch === branch);
  const unseen: Event[] = [];
  for (const event of events.slice(own + 1)) {
    const { rewindBeforeInvocationId: rewound } = event.actions;
    const start = rewound === undefined ? -1 : unseen.findIndex(({ invocationId }) => invocationId === rewound);
    if (start !== -1) unseen.length = start;
    if (rewound === undefined && seesBranch(branch, event.branch)) unseen.push(event);
  }
  return unseen;
}

function partsOf(context: InvocationContext, events: readonly Event[]): readonly Part[] {
  const { toolInput, agent, branch, session } = context;
  const isNew = !conversationEvents(context, session.events).some(
    (event) => event.author === agent.name && event.branch === branch,
  );
  const input = isNew ? (toolInput?.parts ?? []) : [];
  return [
    ...input,
    ...events.flatMap((event) => {
      const content = event.author === USER_AUTHOR ? event.content : quoteOtherAgent(event);
      return content?.parts ?? [];
    }),
  ];
}
