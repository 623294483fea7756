import type { ListedDifference } from "../difference.ts";

export const PROMPTS: readonly ListedDifference[] = [
  {
    scenarios: ["d10-transfer", "d11-transfer-peer"],
    steps: ["run_sse dump", "read session"],
    path: /\.content\.parts\[0\]\.text$/,
    expected: /^billing dump user: text:(hello|billing) \/ user: text:For context: /,
    actual: /^billing dump user: text:(hello|billing) \/ user: text:For context: /,
    reason: "What other agents said reaches a model as quoted context, in words of this kit's own.",
    follows: "what-the-service-does:prompt-assembly",
  },
  {
    scenarios: "d20-sequential",
    steps: ["run_sse topic", "run_sse second topic", "read session"],
    path: /(\.content\.parts\[0\]\.text|\.(stateDelta|state)\.review)$/,
    expected: /^(sys\[Review draft of .*\] )?ctx\[user: text:/s,
    actual: /^(sys\[Review draft of .*\] )?ctx\[user: text:/s,
    reason: "What other agents said reaches a model as quoted context, in words of this kit's own.",
    follows: "what-the-service-does:prompt-assembly",
  },
  {
    scenarios: "d11-transfer-peer",
    steps: ["run_sse list", "read session"],
    path: /\.content\.parts\[0\]\.text$/,
    expected: /^transfer_to_agent ## Bill\..*You have a list of other agents/s,
    actual: /^transfer_to_agent ## Bill\..*You can hand the conversation over to/s,
    reason: "The instruction about other agents is in this kit's own words; tool, agents and place are the same.",
    follows: "agents:llm:transfer",
  },
  {
    scenarios: "d10-transfer",
    steps: "run_sse nobody",
    path: /^\$\.sse\[[12]\]\.(id|invocationId|author|content|actions|timestamp|error|error_details|actions\.transferToAgent|content\.parts\[0\]\.functionResponse\.response\.(result|error))$/,
    reason:
      "A handover to an agent that is not there is refused with the list of those that are; the recorded server ends the run.",
    follows: "agents:llm:transfer",
  },
  {
    scenarios: "d10-transfer",
    steps: "read session",
    path: /^\$\.json\.events\[(24|\+25)\](\.actions\.transferToAgent|\.content\.parts\[0\]\.functionResponse\.response\.(result|error))?$/,
    reason:
      "A handover to an agent that is not there is refused with the list of those that are; the recorded server ends the run.",
    follows: "agents:llm:transfer",
  },
];
