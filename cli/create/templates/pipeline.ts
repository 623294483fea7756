import { type Template, testHead } from "./template.ts";

/** Agents that run one after another. */
export const PIPELINE: Template = {
  about: "Three agents in a row that write a short text: outline, draft, edit.",
  firstMessage: "Write about lighthouses",
  then: "three agents answer, one after another",
  agentNames: ["outliner", "drafter", "editor"],
  sections: `## The pipeline

Each agent stores its answer in the state of the session (\`outputKey\`), and the next one finds it in its instruction
(\`{outline}\`, \`{draft}\`). If the server is stopped during a run, the run continues with the step that was not finished. Write
\`{key?}\` for a key that may be missing. \`LoopAgent\` repeats its agents, and \`ParallelAgent\` runs them at the same time.

`,
  files: (name) => ({
    "agent.ts": `import { LlmAgent, SequentialAgent } from "fairlead/kit";

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
  instruction: \`Write a draft of three sentences along this outline. Give only the draft.

{outline}\`,
  outputKey: "draft",
});

const editor = new LlmAgent({
  name: "editor",
  description: "Gives the text its last form.",
  model: MODEL,
  instruction: \`Edit this draft: shorter, livelier, with a title. Give only the text.

{draft}\`,
  outputKey: "text",
});

export const rootAgent = new SequentialAgent({
  name: "${name}",
  description: "Writes a short text in three steps: outline, draft, edit.",
  subAgents: [outliner, drafter, editor],
});
`,
    "agent.test.ts": `${testHead(name, { kit: "Runner, textOf, userContent", testing: "ScriptedModel" })}
it("passes the text of each step to the next one", async () => {
  const model = new ScriptedModel(["An outline", "A draft", "A text"]);
  const send = await converse(model);

  const events = await send(userContent("Write about tea"));

  expect(events.map(({ author, content }) => [author, textOf(content)])).toEqual([
    ["outliner", "An outline"],
    ["drafter", "A draft"],
    ["editor", "A text"],
  ]);
  expect(model.requests[1]?.systemInstruction).toContain("An outline");
  expect(model.requests[2]?.systemInstruction).toContain("A draft");
});
`,
  }),
  cases: [
    {
      id: "tea",
      message: "Write about tea",
      calls: [],
      answer:
        "# Tea\n\nMost people pass tea by. Look closely, and a small world opens: it has habits, quarrels and a sense of humour. What stays is the wish to look again.",
    },
  ],
};
