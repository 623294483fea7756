import {
  type BaseLlm,
  type Content,
  type GenerateOptions,
  type LlmRequest,
  type LlmResponse,
  modelContent,
  textOf,
} from "fairlead/kit";

/** Notes are the user's lines, in prompts and in the text to summarize. */
const NOTE = /^(?:user: |- )?note:?\s+(.+)$/gim;

/** A script in place of a model: it keeps notes, and summarizes a conversation to its notes. Needs no key. */
export class NotesModel implements BaseLlm {
  readonly model = "notes";

  async *generateContentAsync(request: LlmRequest, { stream }: GenerateOptions): AsyncIterable<LlmResponse> {
    const text = answer(request.contents);
    if (stream) {
      for (const [word] of text.matchAll(/\S+\s*/g)) yield { content: modelContent(word), partial: true };
    }
    yield { content: modelContent(text), finishReason: "STOP" };
  }
}

function answer(contents: readonly Content[]): string {
  const newest = textOf(contents.at(-1));
  const notes = contents.flatMap(notesOf);
  // The kit's request for a summary has this form.
  if (newest.startsWith("## "))
    return notes.length === 0 ? "No notes." : notes.map((note) => `- note ${note}`).join("\n");
  if (notesOf({ parts: [{ text: newest }] }).length > 0)
    return `Noted (demo). That makes ${count(notes.length, "note")}.`;
  const recited = notes.length === 0 ? "You have no notes yet." : `Your notes: ${notes.join("; ")}.`;
  return `(demo) ${recited} This prompt has ${count(contents.length, "message")}.`;
}

function notesOf(content: Content): readonly string[] {
  // Answers of this model repeat notes, so only the user's messages and summaries count.
  if (content.role === "model") return [];
  return (content.parts ?? []).flatMap(({ text = "" }) => [...text.matchAll(NOTE)].flatMap(([, note = ""]) => note));
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}
