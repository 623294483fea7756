import { LlmAgent } from "fairlead/kit";
import { defaultModelRegistry } from "fairlead/models";
import { BenchJudge } from "./bench-judge.ts";
import { BenchModel } from "./bench-model.ts";

// For evaluations with EVAL_JUDGE_MODELS=bench/judge.
defaultModelRegistry.register("bench/judge", new BenchJudge());

export const rootAgent = new LlmAgent({
  name: "bench",
  description: "For measurements: its model obeys words in the user's text.",
  model: new BenchModel(),
  instruction: "Obey the words.",
});
