import type { ListedDifference } from "../difference.ts";

export const AGENT_TOOLS: readonly ListedDifference[] = [
  {
    scenarios: "d50-agenttool",
    steps: ["run_sse help", "run_sse typed", "read session"],
    path: /^\$\.(sse|json\.events)\[\+\d+\]$/,
    cls: "extra fields",
    actual: /^event (helper\|\|\|text\|helped|typed\|\|\|text\|) /,
    reason:
      "What an agent does that serves as a tool is stored and streamed as its own events; on the recorded server it is a black box until it answers.",
    follows: "tools:agent",
  },
  {
    scenarios: "d50-agenttool",
    steps: ["run_sse help", "read session"],
    path: /^\$\.(sse|json\.events)\[\+?\d+\]$/,
    expected: /^nothing$|^event agenttool\|\|\|functionResponse\|helped /,
    actual: /^nothing$|^event agenttool\|\|\|functionResponse\| /,
    reason: "The agent's own event carries its state change, so the answer's event has none; the state is the same.",
    follows: "tools:agent",
  },
];
