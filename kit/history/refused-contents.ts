import type { Content, FunctionResponse, Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { isJsonObject } from "#kit/platform/json.ts";

const FILE_NOTE = "A file stood here that the model refused";
const MESSAGE_NOTE = "[A message stood here that the model refused. Its author may send it again in another form.]";
const RESULT_NOTE = "The result of this call was left out, because the model refused it.";

/**
 * The contents of a refused request in a form that the model can take in later prompts. Those from `from` on have had no
 * answer yet: their files become notes. If they have none, their words do, and so do the files before them, which a
 * model may refuse that is new in the conversation; but only if the event says that the model refused what was said, and
 * not the settings. Of a provider that has a file no more, all files become notes and no words.
 */
export function withoutRefused(
  contents: readonly Content[],
  from: number,
  { customMetadata }: Event,
): readonly Content[] {
  const refused = isJsonObject(customMetadata) ? customMetadata["refused"] : undefined;
  if (refused === "files") return contents.map((content) => mapParts(content, withoutFile));
  const added = contents.slice(from);
  if (added.some(({ parts = [] }) => parts.some(hasFile)))
    return [...contents.slice(0, from), ...added.map((content) => mapParts(content, withoutFile))];
  if (refused !== "content") return contents;
  return contents.map((content, index) => mapParts(content, index < from ? withoutFile : withoutWords));
}

/** The content itself if nothing changes. */
function mapParts(content: Content, change: (part: Part) => Part): Content {
  const parts = content.parts?.map(change) ?? [];
  return parts.some((part, index) => part !== content.parts?.[index]) ? { ...content, parts } : content;
}

function hasFile({ inlineData, fileData, functionResponse }: Part): boolean {
  return inlineData !== undefined || fileData !== undefined || (functionResponse?.parts?.length ?? 0) > 0;
}

function withoutFile(part: Part): Part {
  const { inlineData, fileData, functionResponse } = part;
  const file = inlineData ?? fileData;
  if (file !== undefined) {
    const details = [file.displayName, file.mimeType].filter((detail) => detail !== undefined).join(", ");
    return { text: `[${FILE_NOTE}${details === "" ? "" : `: ${details}`}.]` };
  }
  if (functionResponse?.parts === undefined) return part;
  const { parts: _, ...bare } = functionResponse;
  return { ...part, functionResponse: { ...bare, response: { ...bare.response, note: `${FILE_NOTE}.` } } };
}

function withoutWords(part: Part): Part {
  if (part.functionResponse !== undefined) return { ...part, functionResponse: withoutResult(part.functionResponse) };
  return part.text === undefined ? part : { text: MESSAGE_NOTE };
}

function withoutResult({ parts: _, ...response }: FunctionResponse): FunctionResponse {
  return { ...response, response: { error: RESULT_NOTE } };
}
