import { createApp } from "fairlead/adk";
import { LlmAgent } from "fairlead/kit";
import { NotesModel } from "./notes-model.ts";

const rootAgent = new LlmAgent({
  name: "long_memory",
  description: "Remembers a long conversation by summaries of it.",
  model: new NotesModel(),
  instruction: "Keep the user's notes, and list them when asked.",
});

export const app = createApp({
  name: "long_memory",
  rootAgent,
  // Every three turns are replaced by a summary. The summarizer also gets the turn before them.
  eventsCompaction: { compactionInterval: 3, overlapSize: 1 },
});
