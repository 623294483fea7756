import type { ListedDifference } from "../difference.ts";

const CONFLICT =
  "What exists already is a conflict everywhere, for sessions and for evaluations; the text says what to do.";

export const EVALUATION: readonly ListedDifference[] = [
  {
    scenarios: "h01-eval-sets",
    steps: "create",
    path: /^\$\.json\.(name|description)$/,
    reason: "A set keeps the name and the description that it was given; the recorded server drops them.",
    follows: "what-the-service-does:evaluation-placeholders",
  },
  {
    scenarios: "h01-eval-sets",
    steps: ["create duplicate", "old create duplicate", "add session again"],
    path: /^\$$/,
    cls: "different status",
    expected: /^400$/,
    actual: /^409$/,
    reason: CONFLICT,
    follows: "errors:http:conflict",
  },
  {
    scenarios: "h01-eval-sets",
    steps: ["create duplicate", "old create duplicate", "add session again"],
    path: /^\$\.json\.detail$/,
    expected: / already exists /,
    actual: / already exists .*Choose another id/,
    reason: CONFLICT,
    follows: "errors:http:conflict",
  },
  {
    scenarios: "h01-eval-sets",
    steps: "create camel",
    path: /^\$$/,
    cls: "different status",
    expected: /^422$/,
    actual: /^200$/,
    reason: "Requests are read in both spellings, evaluation sets too.",
    follows: "wire:input:casing",
  },
  {
    scenarios: "h01-eval-sets",
    steps: "cases of unknown set",
    path: /^\$$/,
    cls: "different status",
    expected: /^400$/,
    actual: /^404$/,
    reason: "What is not there is 404, whatever it is.",
    follows: "errors:http:not-found",
  },
  {
    scenarios: "h01-eval-sets",
    steps: ["case", "case new path"],
    path: /\.intermediateData\.(toolUses|toolResponses|intermediateResponses)$/,
    cls: "extra fields",
    reason:
      "The form of a case that all versions of the developer UI and of the evaluators read; the recorded one is newer and not read by all.",
    follows: "server-objects:field-types:evaluation",
  },
  {
    scenarios: "h01-eval-sets",
    steps: "put other id",
    path: /^\$$/,
    cls: "different status",
    expected: /^400$/,
    actual: /^422$/,
    reason: "A field of the body is wrong, and the list under `detail` names it.",
    follows: "errors:http:invalid-field",
  },
  {
    scenarios: "h01-eval-sets",
    steps: "read put case",
    path: /\.conversation\[0\]\.(intermediateData\.toolResponses|creationTimestamp)$/,
    cls: "missing fields",
    expected: /^(\[\]|0)$/,
    reason: "A case is kept as it was given; nothing is filled in.",
    follows: "what-the-service-does:evaluation-placeholders",
  },
];
