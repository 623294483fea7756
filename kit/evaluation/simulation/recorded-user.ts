import type { Invocation } from "../eval-set.ts";
import type { UserSimulator } from "./user-simulator.ts";

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
