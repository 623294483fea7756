import type { ListedDifference } from "../difference.ts";

export const ARTIFACTS: readonly ListedDifference[] = [
  {
    scenarios: ["f01-artifacts-tool", "f04-artifact-session-delete"],
    steps: ["run_sse save one", "run_sse save two", "run_sse save user", "run_sse save after delete"],
    path: /^\$\.sse\[(1\]\.actions\.artifactDelta\..+|2\])$/,
    reason:
      "One event is one frame, as it is stored. The recorded server sends an event that saved files twice, under the same id; UIs read both forms.",
    follows: "wire:sse:framing",
  },
  {
    scenarios: "f01-artifacts-tool",
    steps: ["run_sse save after delete", "versions after", "read session"],
    path: /(\.response\.version|\.artifactDelta\.a\.txt|\.content\.parts\[0\]\.text|^\$\.json\[0\])$/,
    cls: "different value",
    expected: /^(0|saved save_note=\{"version":0\})$/,
    actual: /^(3|saved save_note=\{"version":3\})$/,
    reason:
      "A number that was used once is not used again: an event that names version 0 of a deleted file must not show another file's content.",
    follows: "listings:artifact-versions:numbers",
  },
  {
    scenarios: "f04-artifact-session-delete",
    steps: ["artifact", "list"],
    path: /^\$(\.json\[0\])?$/,
    expected: /^(200|a\.txt)$/,
    actual: /^(404|nothing)$/,
    reason:
      "A user who deletes a session expects its files to be deleted too; without the session they could not be found to delete them.",
    follows: "states:delete-session:artifacts",
  },
  {
    scenarios: "f01-artifacts-tool",
    steps: ["run_sse load", "run_sse system", "read session"],
    path: /\.(functionResponse\.response\.status|content\.parts\[0\]\.text)$/,
    cls: "different value",
    expected: /^artifact contents temporarily inserted|^loaded \[|^Files\..*You have a list of artifacts:/s,
    actual: /^The contents follow this answer|^loaded \[|^Files\..*You have these artifacts, by name:/s,
    reason:
      "The description of artifacts for the model is in this kit's own words; their content and its place are the same.",
    follows: "tools:load-artifacts",
  },
];
