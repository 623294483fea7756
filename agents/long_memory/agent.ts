import { createApp, LlmAgent } from "agentplane/kit";
import { NotesModel } from "./notes-model.ts";

const rootAgent = new LlmAgent({
  name: "long_memory",
  description: "Remembers a long conversation by summaries of it.",
  model: new NotesModel(),
  instruction: "Keep the user's notes, and tell them when asked.",
});

export const app = createApp({
  name: "long_memory",
  rootAgent,
  // After every third turn the conversation becomes a summary. The summarizer sees the turn before it once more.
  eventsCompaction: { compactionInterval: 3, overlapSize: 1 },
});
