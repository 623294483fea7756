import type { ListedDifference } from "../difference.ts";

const STANDS =
  "The user has the answer already, so the turn does not fail for it: what the model gave is kept, parsed when it is JSON. The recorded server ends the run with an error and drops the answer.";

export const SCHEMAS: readonly ListedDifference[] = [
  {
    scenarios: ["d36-schema-2-missing", "d36-schema-4-plain"],
    steps: ["run_sse missing", "run_sse plain"],
    path: /^\$\.sse\[\+?[01]\]$/,
    reason: STANDS,
    follows: "agents:llm:output-key",
  },
  {
    scenarios: ["d36-schema-2-missing", "d36-schema-4-plain"],
    steps: "read session",
    path: /^\$\.json\.(state\.report|events\[1\]\.(content|errorCode|errorMessage|actions\.stateDelta\.report))$/,
    reason: STANDS,
    follows: "agents:llm:output-key",
  },
];
