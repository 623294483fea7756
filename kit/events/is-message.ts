import type { Content } from "./content.ts";

/** Whether the content is a message of the user, and not the responses to calls, which have the same role. */
export function isMessage(content: Content | undefined): boolean {
  return content?.role === "user" && content.parts?.some((part) => part.functionResponse !== undefined) !== true;
}
