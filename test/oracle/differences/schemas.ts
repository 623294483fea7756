import type { ListedDifference } from "../difference.ts";

const REPEATED =
  "An answer that does not fit is shown, the model gets the problems, and answers once more. The recorded server ends the run with an error at the first and drops the answer.";

export const SCHEMAS: readonly ListedDifference[] = [
  {
    scenarios: ["d36-schema-2-missing", "d36-schema-4-plain"],
    steps: ["run_sse missing", "run_sse plain"],
    path: /^\$\.sse\[\+?[012]\]$/,
    reason: REPEATED,
    follows: "agents:llm:output-key",
  },
  {
    scenarios: ["d36-schema-2-missing", "d36-schema-4-plain"],
    steps: "read session",
    path: /^\$\.json\.(state\.report|events\[\+?[123]\])$/,
    reason: REPEATED,
    follows: "agents:llm:output-key",
  },
  {
    scenarios: "d37-schema-tools",
    path: /\.content\.parts\[0\]\.text$/,
    cls: "different value",
    expected: /^\{"city": /,
    actual: /^\{"city":"/,
    reason: "The same JSON without spaces.",
    follows: "agents:llm:output-key",
  },
];
