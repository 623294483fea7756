import { type Template, testHead } from "./template.ts";

/** Agents whose order a planner finds. */
export const PLANNER: Template = {
  about: "Agents that write a report: a planner orders them by what they read and write.",
  firstMessage: "Write a report about tea",
  then: "the planner publishes its plan, two researchers answer at the same time, and the editor brings their answers together",
  agentNames: ["historian", "economist", "editor"],
  sections: `## The planner

\`GoalOrientedPlanner\` plans back from its goal, the state key \`report\`. The editor writes it and reads \`{history}\` and \`{economy}\`, so
their agents run first, at the same time, because neither needs the other. Add an agent with an \`outputKey\`, name the key in
the editor's instruction, and the plan has one agent more. Plans are events of the session: a run that was interrupted continues its plan.

Other planners have a fixed order, loops, or let a model decide.

`,
  files: (name) => ({
    "agent.ts": `import { LlmAgent } from "fairlead/kit";
import { deriveAgentMetadata, GoalOrientedPlanner, PlannerAgent } from "fairlead/planners";

const MODEL = "demo/research";

const historian = new LlmAgent({
  name: "historian",
  description: "Looks at the past.",
  model: MODEL,
  instruction: "Tell in one sentence where the subject comes from.",
  outputKey: "history",
});

const economist = new LlmAgent({
  name: "economist",
  description: "Looks at the money.",
  model: MODEL,
  instruction: "Tell in one sentence what the subject costs and whom it serves.",
  outputKey: "economy",
});

const editor = new LlmAgent({
  name: "editor",
  description: "Writes the report.",
  model: MODEL,
  instruction: \`Bring these together in a short report on what the user asked for.

{history}
{economy}\`,
  outputKey: "report",
});

const team = [editor, economist, historian];

export const rootAgent = new PlannerAgent({
  name: "${name}",
  description: "Looks at a subject from two sides and writes a report.",
  planner: new GoalOrientedPlanner({
    goal: "report",
    metadata: team.map(deriveAgentMetadata),
    // Each message is researched again.
    freshOutputs: true,
  }),
  subAgents: team,
});
`,
    "agent.test.ts": `${testHead(name, { kit: "Runner, userContent", testing: "ScriptedModel" })}
it("lets the researchers work before the editor, who reads what they found", async () => {
  // The researchers run at the same time, so the answer depends on the request and not on the order.
  const model = new ScriptedModel(
    [({ systemInstruction }) => (systemInstruction.includes("comes from") ? "It is old." : systemInstruction.includes("costs") ? "It is cheap." : "A report.")],
    { repeatLast: true },
  );
  const send = await converse(model);

  const events = await send(userContent("Write a report about tea"));

  const authors = events.map(({ author }) => author).filter((author) => author !== "${name}");
  expect(authors.toSorted()).toEqual(["economist", "editor", "historian"]);
  expect(authors.at(-1)).toBe("editor");
  expect(model.requests.at(-1)?.systemInstruction).toContain("It is old.\\nIt is cheap.");
});
`,
  }),
  cases: [
    {
      id: "tea",
      message: "Write a report about tea",
      calls: [],
      answer:
        "Report on tea\n\nThree people looked at the same thing and saw three: an old tool, a standing bill and a source of songs. They agree that tea will be with us for a long time.",
    },
  ],
};
