import type { Content } from "#kit/events/content.ts";
import type { Invocation } from "../eval-set.ts";

/** The next step of a user: a message, or the end of the conversation. */
export type NextMessage =
  | { readonly kind: "message"; readonly content: Content }
  | { readonly kind: "end"; readonly why: ConversationEnd };

/** Why a conversation ended: the user's part was done, or the limit of turns was reached. */
export type ConversationEnd = "stop_signal_detected" | "turn_limit_reached";

/** The user of one conversation. Its only state is the conversation, so that another process can continue it. */
export interface UserSimulator {
  /** Throws a `PlatformError` if it has no message and the conversation has no end. */
  nextMessage(conversation: readonly Invocation[], signal: AbortSignal): Promise<NextMessage>;
}

/** A user who sends the messages of a recorded conversation, whatever the agent answers. */
export function createRecordedUser(recorded: readonly Invocation[]): UserSimulator {
  return {
    nextMessage: async (conversation) => {
      const next = recorded[conversation.length];
      if (next === undefined) return { kind: "end", why: "stop_signal_detected" };
      return { kind: "message", content: next.userContent };
    },
  };
}
