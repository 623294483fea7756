import { createApp } from "fairlead/adk";
import { ExitLoopTool, LlmAgent, LoopAgent, Runner, textOf, userContent } from "fairlead/kit";
import { functionCallResponse, ScriptedModel } from "fairlead/kit/testing";

const writer = new LlmAgent({
  name: "writer",
  model: new ScriptedModel(["Rain is wet.", "Rain writes on the window."]),
  instruction: "Write one line about rain. Improve it by this criticism: {criticism?}",
  outputKey: "line",
});
const critic = new LlmAgent({
  name: "critic",
  model: new ScriptedModel(["Show, do not tell.", functionCallResponse("exit_loop", {})]),
  instruction: "Criticise: {line}. Call exit_loop when it is good.",
  tools: [new ExitLoopTool()],
  outputKey: "criticism",
});
const rootAgent = new LoopAgent({ name: "poetry", subAgents: [writer, critic], maxIterations: 4 });
const runner = new Runner({ app: createApp({ name: "poetry", rootAgent }), runConfig: { autoCreateSession: true } });

for await (const event of runner.runAsync({ userId: "ada", sessionId: "first", newMessage: userContent("Rain!") }))
  if (textOf(event.content) !== "") console.log(`${event.author}: ${textOf(event.content)}`);
