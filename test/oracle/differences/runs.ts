import { EVERYWHERE, type ListedDifference } from "../difference.ts";

const LIMIT_PATH = /\.(errorCode|errorMessage|error|error_type|error_message)$/;

export const RUNS: readonly ListedDifference[] = [
  {
    scenarios: "c02-run-bodies",
    steps: ["empty parts", "no parts", "empty content", "model role", "odd role", "empty part"],
    path: /^\$$/,
    cls: "different status",
    expected: /^200$/,
    actual: /^400$/,
    reason:
      "The recorded server calls the model with an empty turn, or with a client's words under the model's name, and stores that for every later turn.",
    follows: "wire:run:message-validation",
  },
  {
    scenarios: "c02-run-bodies",
    steps: "unknown part key",
    path: /^\$$/,
    cls: "different status",
    expected: /^422$/,
    actual: /^400$/,
    reason: "Unknown members are ignored, so that nothing is left of a part that has no other.",
    follows: "wire:input:casing",
  },
  {
    scenarios: "c02-run-bodies",
    steps: "empty session",
    path: /^\$(\.json\.detail)?$/,
    expected: /^(404|Session not found: )$/,
    actual: /^(422|.*"loc":\["body","sessionId"\],"msg":"Field required".*)$/,
    reason: "A blank id counts as none, which is a mistake of the caller's and not a missing session.",
    follows: "limits:identifiers",
  },
  {
    scenarios: "c02-run-bodies",
    steps: "read session",
    path: /^\$\.json\.events\[\+?\d+\](\.id|\.invocationId|\.customMetadata|\.content\.parts\[0\]\.text)?$/,
    reason:
      "The turns of the refused messages are not in the history, so that those behind them are compared with others.",
    follows: "wire:run:message-validation",
  },
  {
    scenarios: "d05-limit",
    path: LIMIT_PATH,
    cls: "different value",
    expected: /^(LlmCallsLimitExceededError)?(: )?(Max number of llm calls limit of `8` exceeded)?$/,
    actual: /^(LLM_CALL_LIMIT_EXCEEDED|The limit of 8 model calls .*)$/,
    reason:
      "Errors of the platform carry a stable reason in place of a class name, and a text that says where the limit is set.",
    follows: "errors:reasons",
  },
  {
    scenarios: "d06-limit-run",
    steps: "run go",
    path: /^\$$/,
    cls: "different status",
    expected: /^500$/,
    actual: /^429$/,
    reason: "The status of the reason, so that a caller can distinguish a limit from a fault of the server.",
    follows: "wire:run:failure",
  },
  {
    scenarios: EVERYWHERE,
    path: /^\$\.sse\[\d+\]\.error_details\.code$/,
    cls: "extra fields",
    reason: "The last frame of a failed run has the kind of the failure for programs too, as other errors do.",
    follows: "wire:sse:error-frame",
  },
  {
    scenarios: "d42-model-raise",
    steps: "run_sse raise",
    path: /^\$\.sse\[1\]\.error_details\.(error_type|error_message)$/,
    cls: "different value",
    expected: /^(RuntimeError|model "exploded"\nline two)$/,
    actual: /^(INTERNAL|RuntimeError: model "exploded"\nline two)$/,
    reason:
      "The last frame reports how the run's record ended: its reason, and the same text as `error`. The class stands in the event before it.",
    follows: "errors:reasons",
  },
];
