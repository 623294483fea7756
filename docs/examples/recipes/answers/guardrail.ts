import { createApp } from "fairlead/adk";
import { LlmAgent, Runner, textOf, userContent } from "fairlead/kit";
import { ScriptedModel } from "fairlead/kit/testing";

const CARD = /\b(?:\d[ -]?){15}\d\b/g;
const model = new ScriptedModel(["Your card 4111 1111 1111 1111 is fine."], { repeatLast: true });
const rootAgent = new LlmAgent({
  name: "clerk",
  model,
  instruction: "Help customers.",
  // A value that is returned replaces the model's answer: the model is not called.
  beforeModelCallback: (_context, { contents }) => {
    const asked = textOf(contents.at(-1));
    if (!/medical/i.test(asked)) return undefined;
    return { content: { role: "model", parts: [{ text: "Please ask a doctor." }] } };
  },
  afterModelCallback: (_context, { content }) => {
    const text = textOf(content).replace(CARD, "[card]");
    return { content: { role: "model", parts: [{ text }] } };
  },
});
const runner = new Runner({ app: createApp({ name: "shop", rootAgent }), runConfig: { autoCreateSession: true } });

for (const text of ["A medical question", "Is my card fine?"])
  for await (const { author, content } of runner.runAsync({
    userId: "ada",
    sessionId: "first",
    newMessage: userContent(text),
  }))
    console.log(`${author}: ${textOf(content)}`);
console.log(`The model was called ${model.callCount} time.`);
