import { RemoteA2AAgent } from "fairlead/a2a";
import { LlmAgent } from "fairlead/kit";
import { readEnvironment } from "fairlead/models";

/** The server of the two other agents: this one, unless the variable names another. */
const server = readEnvironment("PEER_URL") ?? "http://localhost:8000";

const forecaster = new RemoteA2AAgent({
  name: "forecaster",
  description: "Tells the weather of any city.",
  agentCard: `${server}/a2a/weather`,
});

const accountant = new RemoteA2AAgent({
  name: "accountant",
  description: "Reimburses expenses in euros; large ones after a person has agreed.",
  agentCard: `${server}/a2a/expenses`,
});

export const rootAgent = new LlmAgent({
  name: "front_office",
  description: "Hands questions to agents of another server.",
  model: "demo/chat",
  instruction: `Hand over to forecaster for questions about the weather, and to accountant for expenses.
Answer everything else yourself, briefly.`,
  subAgents: [forecaster, accountant],
});
