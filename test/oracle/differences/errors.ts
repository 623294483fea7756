import { EVERYWHERE, type ListedDifference } from "../difference.ts";

export const ERRORS: readonly ListedDifference[] = [
  {
    scenarios: EVERYWHERE,
    path: /^\$\.json\.(error|message|status|path|code|reason|details|requestId)$/,
    cls: "extra fields",
    reason:
      "Clients made for the Java and the JavaScript server look for the text under other keys, and programs need a reason.",
    follows: "errors:http:body",
  },
  {
    scenarios: EVERYWHERE,
    path: /^\$\.json\.detail$/,
    expected: /^Session not found$/,
    actual: /^Session not found: ./,
    reason: "The text names the session that the request asked for, as the JavaScript server's does.",
    follows: "errors:http:not-found",
  },
  {
    scenarios: "b04-session-bodies",
    steps: "broken json",
    path: /^\$$/,
    cls: "different status",
    expected: /^422$/,
    actual: /^400$/,
    reason: "A body that cannot be parsed is distinguished from one with wrong fields.",
    follows: "errors:http:malformed-json",
  },
  {
    scenarios: "b04-session-bodies",
    steps: "text/plain",
    path: /^\$$/,
    cls: "different status",
    expected: /^422$/,
    actual: /^415$/,
    reason: "The body is not looked at, so nothing can be wrong with its fields; the caller must fix the header.",
    follows: "errors:http:media-type",
  },
  {
    scenarios: "c02-run-bodies",
    steps: ["no app", "empty app"],
    path: /^\$\.json\.detail$/,
    expected: /^app_name is required/,
    actual: /^appName is required/,
    reason: "The text names the field and the setting as this server knows them.",
    follows: "errors:http:body",
  },
  {
    scenarios: "d42-model-raise",
    path: /\.(errorCode|errorMessage|error|error_message)$/,
    expected: /^(RuntimeError|(RuntimeError: )?model "exploded"\s+line two)$/,
    actual: /^(INTERNAL|The server failed to handle this request\. The server's log has the details of run .*)$/,
    reason: "What was thrown may hold paths, addresses and keys; it goes to the log, and clients get the run's id.",
    follows: "errors:http:no-internals",
  },
];
