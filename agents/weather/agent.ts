import { FunctionTool, LlmAgent } from "fairlead/kit";
import { z } from "zod";
import { weatherOf } from "./weather-of.ts";

const getWeather = new FunctionTool({
  name: "get_weather",
  description: "Gives the weather of a city as it is now.",
  parameters: z.object({ city: z.string().min(1).describe("Name of the city, for example Paris.") }),
  idempotent: true,
  execute: ({ city }) => weatherOf(city),
});

export const rootAgent = new LlmAgent({
  name: "weather",
  description: "Tells the weather of any city.",
  model: "demo/weather",
  instruction: `You tell people the weather. Call get_weather for every city they name, then answer in one friendly sentence.
When they name no city, ask for one.`,
  tools: [getWeather],
});
