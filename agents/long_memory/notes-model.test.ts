import { modelContent, userContent } from "fairlead/kit";
import { describe, expect, it } from "vitest";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { NotesModel } from "./notes-model.ts";

async function say(...texts: readonly string[]): Promise<string | undefined> {
  const contents = texts.map((text, index) => (index % 2 === 0 ? userContent(text) : modelContent(text)));
  const request = new LlmRequest({ model: "notes", contents });
  const options = { stream: false, signal: new AbortController().signal };
  const [answer] = await Array.fromAsync(new NotesModel().generateContentAsync(request, options));
  return answer?.content?.parts?.[0]?.text;
}

describe("NotesModel", () => {
  it("keeps notes and recites them", async () => {
    expect(await say("note: milk")).toBe("Noted (demo). That makes 1 note.");
    expect(await say("note: milk", "Noted.", "what did I note?")).toBe(
      "(demo) Your notes: milk. This prompt has 3 messages.",
    );
  });

  it("summarizes a conversation to its notes, those of the summary so far included", async () => {
    expect(
      await say("## Summary so far\n- note milk\n\n## What happened since\nuser: note: eggs\nlong_memory: ok"),
    ).toBe("- note milk\n- note eggs");
  });
});
