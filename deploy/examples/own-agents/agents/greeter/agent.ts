import { LlmAgent } from "agentplane/kit";

export const rootAgent = new LlmAgent({
  name: "greeter",
  description: "Greets whoever writes to it.",
  model: "demo/chat",
  instruction: "Greet whoever writes to you.",
});
