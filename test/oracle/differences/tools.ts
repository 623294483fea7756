import type { ListedDifference } from "../difference.ts";

const GOES_ON =
  "A tool that fails does not end the turn: the model gets the error and can fix its call, and the session keeps one response for each call. The recorded server stops and leaves calls without an answer.";

export const TOOLS: readonly ListedDifference[] = [
  {
    scenarios: "d03-tool-odd",
    steps: ["run_sse boom", "run_sse half boom", "run_sse wrong type"],
    path: /^\$\.sse\[\+?[1-3]\]/,
    reason: GOES_ON,
    follows: "tools:function:errors",
  },
  {
    scenarios: "d03-tool-odd",
    steps: "read session",
    path: /^\$\.json\.events\[\+?([6-9]|1[0-5])\]$/,
    expected: /^nothing$|^event tools\|\|\|(functionResponse)?\| \{/,
    actual: /^nothing$|^event tools\|\|\|(functionResponse|text)/,
    reason: GOES_ON,
    follows: "tools:function:errors",
  },
  {
    scenarios: "d04-tool-run-errors",
    steps: ["run wrong type", "run boom", "run half boom"],
    path: /^\$$/,
    cls: "different status",
    expected: /^500$/,
    actual: /^200$/,
    reason: GOES_ON,
    follows: "tools:function:errors",
  },
  {
    scenarios: "d04-tool-run-errors",
    steps: "read session",
    path: /^\$\.json\.events\[\+?[23]\](\.errorCode|\.errorMessage|\.content|\.content\.parts\[1\])?$/,
    expected: /^(nothing|event tools\|\|\|\| \{\}|ValueError|second broke)$/,
    reason: GOES_ON,
    follows: "tools:function:errors",
  },
  {
    scenarios: "d04-tool-run-errors",
    steps: "read session",
    path: /^\$\.json\.events\[[23]\]\.content\.parts\[0\]\.(text|functionResponse\.response\.error)$/,
    expected: /^(Result no_such_tool=\{"error":")?Invoking `no_such_tool\(\)` failed/,
    actual: /^(Result no_such_tool=\{"error":")?There is no tool named/,
    reason: "Another wording of the same answer to the model: no such tool, and which there are.",
    follows: "tools:unknown",
  },
  {
    scenarios: "d04-tool-run-errors",
    steps: "read session",
    path: /^\$\.json\.events\[[23]\]\.content\.parts\[0\]\.(text|functionResponse\.response\.error)$/,
    expected: /^(Result add=\{"error":")?Invoking `add\(\)` failed/,
    actual: /^(Result add=\{"error":")?Wrong arguments for add: b: /,
    reason: "Another wording of the same answer to the model: which argument is missing.",
    follows: "tools:function:arguments-validated",
  },
  {
    scenarios: "d54-memory",
    path: /\.response\.(result|memories)$|\.parts\[0\]\.text$/,
    expected: /^nothing$|\{"memories":\[/,
    actual: /^nothing$|^\[|^Result load_memory=\{"memories":\[/,
    reason:
      "What the memory tool gives is an object with `memories`, and objects are responses as they are; the Java server answers so too. Members of an entry that say nothing are left out.",
    follows: "memory:load-response:record",
  },
];
