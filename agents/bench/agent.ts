import { LlmAgent } from "fairlead/kit";
import { BenchModel } from "./bench-model.ts";

export const rootAgent = new LlmAgent({
  name: "bench",
  description: "For measurements: its model obeys words in the user's text.",
  model: new BenchModel(),
  instruction: "Obey the words.",
});
