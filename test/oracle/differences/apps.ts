import type { ListedDifference } from "../difference.ts";

export const APPS: readonly ListedDifference[] = [
  {
    scenarios: "a01-apps",
    path: /\.language$/,
    cls: "different value",
    expected: /^python$/,
    actual: /^typescript$/,
    reason: "The agents are TypeScript.",
    follows: "endpoints-http:list-apps:route",
  },
  {
    scenarios: "a01-apps",
    steps: "detailed",
    path: /\.apps\[\d+\]\.agents$/,
    cls: "missing fields",
    expected: /^null$/,
    reason: "What is absent is left out; app-info lists an app's agents.",
    follows: "wire:output:nulls",
  },
  {
    scenarios: "a01-apps",
    steps: "detailed",
    path: /\.apps\[2\]\.description$/,
    cls: "different value",
    expected: /^bench$/,
    reason: "The agent for measurements is this repository's own and describes its purpose.",
    follows: "agents:base:description",
  },
  {
    scenarios: "a01-apps",
    steps: "info not an llm agent",
    path: /^\$$/,
    cls: "different status",
    expected: /^400$/,
    actual: /^200$/,
    reason: "A sequence of agents has a description and a tree too; there is no reason to refuse it.",
    follows: "wire:app-info",
  },
  {
    scenarios: "a02-server",
    steps: "HEAD list-apps",
    path: /^\$$/,
    cls: "different status",
    expected: /^405$/,
    actual: /^200$/,
    reason: "HTTP asks every server to answer HEAD where it answers GET; probes and caches use it.",
    follows: "wire:head",
  },
  {
    scenarios: "a03-dev-config",
    steps: "metrics",
    path: /\.metricsInfo\[\d+\]/,
    reason:
      "Only metrics that this server computes are listed: none that ask a model or a managed service, and the F1 of trajectories beside those of the other server.",
    follows: "what-the-service-does:evaluation-placeholders",
  },
];
