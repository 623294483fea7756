import { ExitLoopTool, LlmAgent, LoopAgent } from "fairlead/kit";

const MODEL = "demo/slogan";

const copywriter = new LlmAgent({
  name: "copywriter",
  description: "Writes a slogan, and a better one when there is criticism.",
  model: MODEL,
  instruction: `Write a slogan for what the user asks for. If there is criticism, fix what it names. Give only the slogan.

Slogan so far: {slogan?}
Criticism: {criticism?}`,
  outputKey: "slogan",
});

const critic = new LlmAgent({
  name: "critic",
  description: "Finds the weakest point of the slogan, or ends the loop when there is none.",
  model: MODEL,
  instruction: `Name the weakest point of this slogan in one sentence. When nothing is weak, call exit_loop and say nothing.

{slogan}`,
  tools: [new ExitLoopTool()],
  outputKey: "criticism",
});

export const rootAgent = new LoopAgent({
  name: "slogan_critic",
  description: "Writes a slogan and revises it until its critic accepts it.",
  subAgents: [copywriter, critic],
  maxIterations: 5,
});
