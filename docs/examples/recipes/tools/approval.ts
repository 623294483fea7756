import { createApp } from "fairlead/adk";
import { FunctionTool, functionCalls, LlmAgent, Runner, textOf, userContent } from "fairlead/kit";
import { functionCallResponse, ScriptedModel } from "fairlead/kit/testing";
import { z } from "zod";

const reimburse = new FunctionTool({
  name: "reimburse",
  description: "Pays money back to an employee.",
  parameters: z.object({ amount: z.number() }),
  requireConfirmation: ({ amount }) => amount > 100,
  execute: ({ amount }) => ({ paid: amount }),
});
// In place of the name of a model, so that the recipe runs without a key.
const model = new ScriptedModel([functionCallResponse("reimburse", { amount: 250 }), "250 euros are paid."]);
const rootAgent = new LlmAgent({ name: "clerk", model, instruction: "Reimburse expenses.", tools: [reimburse] });
const runner = new Runner({ app: createApp({ name: "desk", rootAgent }), runConfig: { autoCreateSession: true } });
const session = { userId: "ada", sessionId: "first" };

let question = "";
for await (const event of runner.runAsync({ ...session, newMessage: userContent("250 euros for a chair") }))
  for (const call of functionCalls(event)) {
    if (call.name === "adk_request_confirmation") question = call.id ?? "";
    console.log(`call of ${call.name}`);
  }

// Minutes or days later, perhaps in another process:
const functionResponse = { id: question, name: "adk_request_confirmation", response: { confirmed: true } };
for await (const event of runner.runAsync({ ...session, newMessage: { role: "user", parts: [{ functionResponse }] } }))
  console.log(`${event.author}: ${textOf(event.content) || "the tool has run"}`);
