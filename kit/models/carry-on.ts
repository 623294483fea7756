import type { Content } from "../events/content.ts";

/** Follows a conversation that does not end with the user, for models that answer nobody else. */
export const CARRY_ON: Content = {
  role: "user",
  parts: [{ text: "Carry on with the task as you were instructed. If it is complete, give your final answer." }],
};
