import type { Content } from "./content.ts";
import type { Event } from "./event.ts";

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
