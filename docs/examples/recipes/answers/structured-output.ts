import { createApp } from "fairlead/adk";
import { LlmAgent, Runner, textOf, userContent } from "fairlead/kit";
import { ScriptedModel } from "fairlead/kit/testing";
import { z } from "zod";

const Invoice = z.object({ number: z.string(), total: z.number().positive() });
// The first answer does not fit: the model gets the problems, and answers again.
const model = new ScriptedModel(['{"number":"7","total":-1}', '{"number":"7","total":12.5}']);
const rootAgent = new LlmAgent({
  name: "reader",
  model,
  instruction: "Read the invoice.",
  outputSchema: Invoice,
  outputKey: "invoice",
});
const runner = new Runner({ app: createApp({ name: "reader", rootAgent }), runConfig: { autoCreateSession: true } });

let answer = "";
for await (const { content } of runner.runAsync({ userId: "ada", sessionId: "first", newMessage: userContent("…") }))
  answer = textOf(content);
const invoice = Invoice.parse(JSON.parse(answer));
console.log(`Invoice ${invoice.number}: ${invoice.total} after ${model.callCount} calls`);
