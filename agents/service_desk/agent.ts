import { LlmAgent } from "fairlead/kit";
import { PlannerAgent, SupervisorPlanner } from "fairlead/planners";

const MODEL = "demo/service";

const parcelClerk = new LlmAgent({
  name: "parcel_clerk",
  description: "Answers questions about parcels: delivery, delays, lost or late parcels.",
  model: MODEL,
  instruction: "You know where each parcel is. Answer the part of the question that is about a parcel.",
});

const invoiceClerk = new LlmAgent({
  name: "invoice_clerk",
  description: "Answers questions about invoices: wrong amounts, payments, reminders.",
  model: MODEL,
  instruction: "You know all invoices. Answer the part of the question that is about an invoice.",
});

const returnsClerk = new LlmAgent({
  name: "returns_clerk",
  description: "Arranges returns and refunds of articles that are broken or do not fit.",
  model: MODEL,
  instruction: "You arrange returns. Answer the part of the question that is about a return.",
});

export const rootAgent = new PlannerAgent({
  name: "service_desk",
  description: "Answers customers: a supervisor decides which clerks work on a question.",
  planner: new SupervisorPlanner({
    model: MODEL,
    systemInstruction: "Ask only the clerks whose work the question is about.",
  }),
  subAgents: [parcelClerk, invoiceClerk, returnsClerk],
  maxIterations: 10,
});
