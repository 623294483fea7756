import type { ListedDifference } from "../difference.ts";

const SCENARIOS = ["e10-confirm-yes", "e11-confirm-no"];

export const CONFIRMATION: readonly ListedDifference[] = [
  {
    scenarios: SCENARIOS,
    steps: ["run_sse delete", "read session"],
    path: /^\$\.(sse|json\.events)\[(1|\+2|2|\+3)\]$/,
    expected: /^nothing$|functionCall\| .*originalFunctionCall/,
    actual: /^nothing$|functionCall\| .*originalFunctionCall/,
    reason:
      "The results of a round come before the question to the user, so that those of the other calls are stored even when the client stops reading at the question.",
    follows: "tools:confirmation:asks",
  },
  {
    scenarios: SCENARIOS,
    path: /\.(functionResponse\.response\.error|hint|text)$/,
    cls: "different value",
    expected: /requires confirmation|Please approve or reject|is rejected\./,
    actual: /waits for the user to confirm|Confirm or reject the call|The user rejected this call/,
    reason: "Another wording of the same question and of the same answers to the model.",
    follows: "tools:confirmation:asks",
  },
];
