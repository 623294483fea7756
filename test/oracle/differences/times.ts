import { EVERYWHERE, type ListedDifference } from "../difference.ts";

export const TIMES: readonly ListedDifference[] = [
  {
    scenarios: EVERYWHERE,
    path: /\.timestamp$/,
    cls: "different value",
    expected: /^time in s$/,
    actual: /^time in ms$/,
    reason:
      "The servers of the family disagree on the unit. Milliseconds are exact as integers; clients that infer the unit from the magnitude, the developer UI among them, read both.",
    follows: "wire:event:timestamp",
  },
];
