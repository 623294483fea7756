import { EVAL_STATUS, evaluate, parseEvalConfig, parseEvalSetFile } from "fairlead/evaluation";
import { FunctionTool, LlmAgent } from "fairlead/kit";
import { z } from "zod";

const getWeather = new FunctionTool({
  name: "get_weather",
  description: "Returns the weather of a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ report: `It is sunny in ${city}.` }),
});
// The demo model calls the tool that fits the message, and answers with its report.
const rootAgent = new LlmAgent({ name: "meteo", model: "demo/chat", instruction: "Report.", tools: [getWeather] });

const user = (text: string) => ({ role: "user", parts: [{ text }] });
const set = parseEvalSetFile(
  JSON.stringify({
    evalSetId: "smoke",
    evalCases: ["Paris", "Rome"].map((city) => ({
      evalId: city.toLowerCase(),
      conversation: [
        {
          userContent: user(`What is the weather in ${city}?`),
          intermediateData: { toolUses: [{ name: "get_weather", args: { city } }] },
        },
      ],
    })),
  }),
  "smoke.evalset.json",
);
const config = parseEvalConfig({ criteria: { tool_trajectory_avg_score: 1 } });
const { evalCaseResults } = await evaluate(rootAgent, set, config);
const failed = evalCaseResults.filter(({ finalEvalStatus }) => finalEvalStatus !== EVAL_STATUS.PASSED);
console.log(`${evalCaseResults.length - failed.length} of ${evalCaseResults.length} cases passed`);
// In CI the process fails with the evaluation.
process.exitCode = failed.length === 0 ? 0 : 1;
