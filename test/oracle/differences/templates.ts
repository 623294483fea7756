import type { ListedDifference } from "../difference.ts";

const LENIENT =
  "A placeholder without a value stays as written and is logged. Failing the turn, as the recorded server does, lets one forgotten key take an agent out of service.";

export const TEMPLATES: readonly ListedDifference[] = [
  {
    scenarios: "d32-template-missing",
    steps: "run_sse hello",
    path: /^\$\.sse\[\+?[01]\]$/,
    expected: /^nothing$|^event (template\|\|\|\| |\|\|err\|\| )/,
    reason: LENIENT,
    follows: "records:instruction:optional-variables",
  },
  {
    scenarios: "d32-template-missing",
    steps: "read session",
    path: /^\$\.json\.events\[1\]\.(content|errorCode|errorMessage)$/,
    reason: LENIENT,
    follows: "records:instruction:optional-variables",
  },
  {
    scenarios: "d33-template-missing-run",
    steps: "run hello",
    path: /^\$$/,
    cls: "different status",
    expected: /^500$/,
    actual: /^200$/,
    reason: LENIENT,
    follows: "records:instruction:optional-variables",
  },
];
