import type { ListedDifference } from "../difference.ts";

export const TRACES: readonly ListedDifference[] = [
  {
    scenarios: "g01-trace",
    steps: ["by event (call)", "by event (last)"],
    path: /^\$\.json\.gcp\.vertex\.agent\.session_id$/,
    cls: "extra fields",
    reason: "The attribute under which the Java server and its UI look for the session.",
    follows: "wire:trace:span-shape",
  },
];
