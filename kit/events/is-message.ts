import type { Content } from "./content.ts";

/** Whether the content is something the user says, rather than the responses to calls, which stand under the same role. */
export function isMessage(content: Content | undefined): boolean {
  return content?.role === "user" && content.parts?.some((part) => part.functionResponse !== undefined) !== true;
}
