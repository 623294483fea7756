import { EVERYWHERE, type ListedDifference } from "../difference.ts";

export const EVENTS: readonly ListedDifference[] = [
  {
    scenarios: EVERYWHERE,
    path: /\.nodeInfo$/,
    cls: "missing fields",
    expected: /^\{"path":"[^"]*"\}$/,
    reason:
      "There are no workflow graphs, so every path would repeat the author's name. Clients treat the field as optional.",
    follows: "event:field:node-info",
  },
  {
    scenarios: EVERYWHERE,
    path: /\.longRunningToolIds$/,
    cls: "missing fields",
    expected: /^\[\]$/,
    reason: "An empty list says nothing: the field is written when a call of the event answers later.",
    follows: "event:field:long-running-tool-ids",
  },
  {
    scenarios: "c01-run-basic",
    path: /\.inlineData\.data$/,
    cls: "different value",
    expected: /^[\w-]+=*$/,
    actual: /^[\w+/]+=*$/,
    reason:
      "The Gemini API and browsers read the standard alphabet; the URL-safe one needs a conversion before `atob`.",
    follows: "wire:output:base64",
  },
];
