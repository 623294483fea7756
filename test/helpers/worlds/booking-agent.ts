/** An `agent.ts` with a tool that asks for a confirmation with a payload, and a long-running tool without a result. */
export const BOOKING_AGENT = `
import { FunctionTool, LlmAgent, LongRunningFunctionTool } from "fairlead/kit";

const bookTime = new FunctionTool({
  name: "book_time",
  description: "Books time off.",
  execute: (_args, context) => {
    const { toolConfirmation } = context;
    if (toolConfirmation === undefined) {
      context.requestConfirmation({ hint: "How many days?", payload: { days: 3 } });
      return { status: "waits" };
    }
    return { report: "Booked: " + JSON.stringify(toolConfirmation.payload ?? null) };
  },
});
const weather = new LongRunningFunctionTool({ name: "weather_by_hand", description: "Asks a person.", execute: () => undefined });

export const rootAgent = new LlmAgent({ name: "booking", model: "demo/any", instruction: "Books.", tools: [bookTime, weather] });
`;
