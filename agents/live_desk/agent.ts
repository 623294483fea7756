import { FunctionTool, LlmAgent } from "fairlead/kit";
import { z } from "zod";

const conditions = ["sunny", "cloudy", "rainy", "windy"] as const;

const getWeather = new FunctionTool({
  name: "get_weather",
  description: "Gives the weather of a city as it is now.",
  parameters: z.object({ city: z.string().min(1).describe("Name of the city, for example Paris.") }),
  idempotent: true,
  execute: ({ city }) => ({ report: `It is ${conditions[city.length % conditions.length]} in ${city}.` }),
});

export const rootAgent = new LlmAgent({
  name: "live_desk",
  description: "Talks about the weather, by voice or in writing.",
  model: "demo/live",
  instruction: `You talk with people about the weather. Call get_weather for every city they name, then answer in one short
sentence. Stop when they speak.`,
  tools: [getWeather],
});
