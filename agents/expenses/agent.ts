import { FunctionTool, LlmAgent } from "fairlead/kit";
import { z } from "zod";

/** Euros above which a person has to agree. */
const LIMIT = 100;

const reimburse = new FunctionTool({
  name: "reimburse",
  description: "Reimburses an expense in euros to the employee.",
  parameters: z.object({
    amount: z.number().positive().describe("Euros."),
    purpose: z.string().min(1).describe("What the money was spent on."),
  }),
  requireConfirmation: ({ amount }) => amount > LIMIT,
  execute: ({ amount, purpose }, { functionCallId, toolConfirmation }) => ({
    // The id of the call is the same in each attempt, so that a bank can detect that it has paid already.
    receipt: functionCallId ?? null,
    report: `${amount} euros for ${purpose} ${toolConfirmation === undefined ? "were paid" : "were approved and paid"}.`,
  }),
});

export const rootAgent = new LlmAgent({
  name: "expenses",
  description: "Reimburses expenses; large ones after a person has agreed.",
  model: "demo/expenses",
  instruction: `You reimburse expenses. Call reimburse once for each expense that the user names, then say in one sentence what became of it.
If the user rejects a payment, accept it and do not try again.`,
  tools: [reimburse],
});
