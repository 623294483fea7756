import { LlmAgent } from "fairlead/kit";

export const rootAgent = new LlmAgent({
  name: "greeter",
  description: "Greets the user.",
  model: "demo/chat",
  instruction: "Greet the user.",
});
