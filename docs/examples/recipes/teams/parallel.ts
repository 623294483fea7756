import { createApp } from "fairlead/adk";
import { LlmAgent, ParallelAgent, Runner, SequentialAgent, textOf, userContent } from "fairlead/kit";
import { ScriptedModel } from "fairlead/kit/testing";

const expert = (name: string, answer: string) =>
  new LlmAgent({ name, model: new ScriptedModel([answer]), instruction: `Look at the ${name}.`, outputKey: name });
const rootAgent = new SequentialAgent({
  name: "review",
  subAgents: [
    new ParallelAgent({ name: "experts", subAgents: [expert("style", "Short."), expert("facts", "Right.")] }),
    new LlmAgent({
      name: "editor",
      model: new ScriptedModel([({ systemInstruction }) => `I have read: ${String(systemInstruction).split("\n", 1)}`]),
      instruction: "style: {style} facts: {facts}",
    }),
  ],
});
const runner = new Runner({ app: createApp({ name: "review", rootAgent }), runConfig: { autoCreateSession: true } });

const lines: string[] = [];
for await (const event of runner.runAsync({ userId: "ada", sessionId: "first", newMessage: userContent("My text") }))
  if (textOf(event.content) !== "") lines.push(`${event.author}: ${textOf(event.content)}`);
// The experts answer in any order, the editor after both.
console.log([...lines.slice(0, 2).sort(), ...lines.slice(2)].join("\n"));
