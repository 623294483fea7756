import { createApp } from "fairlead/adk";
import { LlmAgent, Runner, textOf, userContent } from "fairlead/kit";
import { ScriptedModel } from "fairlead/kit/testing";
import { FallbackLlm } from "fairlead/models";

const first = new ScriptedModel([new Error("The provider is down.")], { model: "first", repeatLast: true });
const second = new ScriptedModel(["The second model answers."], { model: "second" });
// With names: model: new FallbackLlm(["gemini-3.8-flash", "gpt-6.1-sol"]), or in YAML `model: [gemini-3.8-flash, gpt-6.1-sol]`.
const rootAgent = new LlmAgent({ name: "desk", model: new FallbackLlm([first, second]), instruction: "Answer." });
const runner = new Runner({ app: createApp({ name: "desk", rootAgent }), runConfig: { autoCreateSession: true } });

for await (const event of runner.runAsync({ userId: "ada", sessionId: "first", newMessage: userContent("Hello") })) {
  console.log(`${event.author}: ${textOf(event.content)}`);
  console.log(JSON.stringify(event.customMetadata));
}
