import { LlmAgent } from "fairlead/kit";
import { chooseModel } from "./choose-model.ts";

const { model, isDemo } = chooseModel();

export const rootAgent = new LlmAgent({
  name: "assistant",
  description: isDemo ? "A demo: set a model's key for real answers." : `Answers questions with ${model}.`,
  model,
  instruction: "You are a helpful assistant. Answer briefly and plainly; say so when you do not know.",
});
