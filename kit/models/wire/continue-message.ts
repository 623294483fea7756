import type { Content } from "#kit/events/content.ts";

/** Appended to a conversation that does not end with the user, for models that only answer a user's message. */
export const CONTINUE_MESSAGE: Content = {
  role: "user",
  parts: [{ text: "Carry on with the task as you were instructed. If it is complete, give your final answer." }],
};
