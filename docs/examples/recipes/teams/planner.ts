import { createApp } from "fairlead/adk";
import { LlmAgent, Runner, textOf, userContent } from "fairlead/kit";
import { ScriptedModel } from "fairlead/kit/testing";
import { deriveAgentMetadata, GoalOrientedPlanner, PlannerAgent } from "fairlead/planners";

const agent = (name: string, instruction: string, outputKey: string) =>
  new LlmAgent({ name, instruction, outputKey, model: new ScriptedModel([`${outputKey} are ready.`]) });
// In any order: the planner reads what each needs and writes.
const team = [
  agent("editor", "Edit {notes} with {figures}.", "pages"),
  agent("reader", "Read the sources.", "notes"),
  agent("counter", "Count in {notes}.", "figures"),
  agent("painter", "Paint.", "pictures"),
];
const rootAgent = new PlannerAgent({
  name: "desk",
  planner: new GoalOrientedPlanner({ goal: "pages", metadata: team.map(deriveAgentMetadata) }),
  subAgents: team,
});
const runner = new Runner({ app: createApp({ name: "desk", rootAgent }), runConfig: { autoCreateSession: true } });

for await (const event of runner.runAsync({ userId: "ada", sessionId: "first", newMessage: userContent("Begin") }))
  if (textOf(event.content) !== "") console.log(`${event.author}: ${textOf(event.content)}`);
