import { LlmAgent, SequentialAgent } from "fairlead/kit";

const MODEL = "demo/writer";

const outliner = new LlmAgent({
  name: "outliner",
  description: "Makes an outline.",
  model: MODEL,
  instruction: "Write an outline of three points for a short text on what the user asks for. Give only the outline.",
  outputKey: "outline",
});

const drafter = new LlmAgent({
  name: "drafter",
  description: "Writes a first draft.",
  model: MODEL,
  instruction: `Write a draft of three sentences along this outline. Give only the draft.

{outline}`,
  outputKey: "draft",
});

const editor = new LlmAgent({
  name: "editor",
  description: "Gives the text its last form.",
  model: MODEL,
  instruction: `Edit this draft: shorter, livelier, with a title. Keep what the outline wants said. Give only the text.

Outline:
{outline}

Draft:
{draft}`,
  outputKey: "text",
});

export const rootAgent = new SequentialAgent({
  name: "writer_pipeline",
  description: "Writes a short text in three steps: outline, draft, edit.",
  subAgents: [outliner, drafter, editor],
});
