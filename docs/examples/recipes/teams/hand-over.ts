import { createApp } from "fairlead/adk";
import { LlmAgent, Runner, textOf, userContent } from "fairlead/kit";
import { functionCallResponse, ScriptedModel } from "fairlead/kit/testing";

const billing = new LlmAgent({
  name: "billing",
  description: "Invoices and payments.",
  model: new ScriptedModel(["Invoice 7 is paid.", "So is invoice 8."]),
  instruction: "Help with invoices.",
});
const rootAgent = new LlmAgent({
  name: "desk",
  model: new ScriptedModel([functionCallResponse("transfer_to_agent", { agent_name: "billing" })]),
  instruction: "Hand people over to who can help.",
  subAgents: [billing],
});
const runner = new Runner({ app: createApp({ name: "desk", rootAgent }), runConfig: { autoCreateSession: true } });

for (const text of ["Is invoice 7 paid?", "And invoice 8?"])
  for await (const event of runner.runAsync({ userId: "ada", sessionId: "first", newMessage: userContent(text) })) {
    const { transferToAgent } = event.actions;
    if (transferToAgent !== undefined) console.log(`${event.author} hands over to ${transferToAgent}`);
    if (textOf(event.content) !== "") console.log(`${event.author}: ${textOf(event.content)}`);
  }
