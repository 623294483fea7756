import { type Template, testHead } from "./template.ts";

/** A tool that waits for a person's approval. */
export const APPROVAL: Template = {
  about: "An agent that reimburses expenses: it pays small ones itself, and asks a person before it pays large ones.",
  firstMessage: "Reimburse 250 euros spent on a train ticket",
  then: "the agent calls `reimburse`, and the run waits until you approve or reject the call",
  sections: `## The approval

\`requireConfirmation\` of the tool \`reimburse\` decides by the arguments which calls wait: here those over 100 euros. The run
ends with a call of \`adk_request_confirmation\`, and the tool runs after the answer. An answer counts once, for that call and its
arguments, also after a restart of the server. To answer:

- In the developer UI: the buttons of the question.
- In the terminal: \`npm run chat\` asks "Approve? [y/N]".
- Of a server: \`npx fairlead inbox\` lists what waits, \`npx fairlead inbox approve <entry>\` answers.
- Over HTTP: a message with the id of the call of \`adk_request_confirmation\`:

\`\`\`json
{
  "role": "user",
  "parts": [{ "functionResponse": { "id": "adk-…", "name": "adk_request_confirmation", "response": { "confirmed": true } } }]
}
\`\`\`

`,
  files: (name) => ({
    "agent.ts": `import { LlmAgent } from "fairlead/kit";
import { reimburse } from "./reimburse.ts";

export const rootAgent = new LlmAgent({
  name: "${name}",
  description: "Reimburses expenses; large ones after a person has approved.",
  model: "demo/chat",
  instruction: \`You reimburse expenses. Call reimburse once for each expense that the user names, then report the result.
If a payment is rejected, accept it and do not try again.\`,
  tools: [reimburse],
});
`,
    "reimburse.ts": `import { FunctionTool } from "fairlead/kit";
import { z } from "zod";

/** Euros above which a person has to approve. */
const LIMIT = 100;

export const reimburse = new FunctionTool({
  name: "reimburse",
  description: "Reimburses an expense in euros.",
  parameters: z.object({
    amount: z.number().positive().describe("Euros."),
    purpose: z.string().min(1).describe("What the money was spent on."),
  }),
  requireConfirmation: ({ amount }) => amount > LIMIT,
  execute: ({ amount, purpose }, { functionCallId }) => ({
    // Pay here. The id of the call stays the same if the call is repeated, so that a bank can detect that it has paid already.
    receipt: functionCallId ?? null,
    report: \`Paid \${amount} euros (\${purpose}).\`,
  }),
});
`,
    "agent.test.ts": `${testHead(name, { kit: "functionCalls, functionResponses, Runner, textOf, userContent", testing: "functionCallResponse, ScriptedModel" })}
function results(events: readonly Event[]): readonly unknown[] {
  return events.flatMap(functionResponses).filter(({ name }) => name === "reimburse").map(({ response }) => response);
}

/** The person's answer to the question in the events. */
function answerTo(events: readonly Event[], confirmed: boolean): Content {
  const question = events.flatMap(functionCalls).find(({ name }) => name === "adk_request_confirmation");
  if (question?.id === undefined) throw new Error("The agent did not ask.");
  const functionResponse = { id: question.id, name: question.name, response: { confirmed } };
  return { role: "user", parts: [{ functionResponse }] };
}

it("pays a small expense without a question", async () => {
  const call = functionCallResponse("reimburse", { amount: 40, purpose: "taxi" });
  const send = await converse(new ScriptedModel([call, "Done."]));

  const events = await send(userContent("40 euros for a taxi"));

  expect(results(events)).toMatchObject([{ report: "Paid 40 euros (taxi)." }]);
  expect(textOf(events.at(-1)?.content)).toBe("Done.");
});

it("pays a large expense only after a person has approved it", async () => {
  const call = functionCallResponse("reimburse", { amount: 250, purpose: "train" });
  const send = await converse(new ScriptedModel([call, "Done."]));

  const asked = await send(userContent("250 euros for the train"));
  expect(JSON.stringify(results(asked))).not.toContain("Paid");

  const answered = await send(answerTo(asked, true));
  expect(results(answered)).toMatchObject([{ report: "Paid 250 euros (train)." }]);
});

it("does not pay what a person has rejected", async () => {
  const call = functionCallResponse("reimburse", { amount: 250, purpose: "train" });
  const send = await converse(new ScriptedModel([call, "Not paid."]));

  const answered = await send(answerTo(await send(userContent("250 euros for the train")), false));

  expect(JSON.stringify(results(answered))).not.toContain("Paid");
  expect(textOf(answered.at(-1)?.content)).toBe("Not paid.");
});
`,
  }),
  cases: [
    {
      id: "small_expense",
      message: "Reimburse 40 euros spent on a taxi",
      calls: [{ name: "reimburse", args: { amount: 40, purpose: "a taxi" } }],
      answer: "Here is what I found. Paid 40 euros (a taxi).",
    },
  ],
};
