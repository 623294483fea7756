import type { NotReached } from "./difference.ts";

/** Recorded scenarios that need what the kit does not have yet, by name. */
export const NOT_REACHED: readonly NotReached[] = [
  { scenario: "a01-apps", steps: "info agenttool", missing: "agents as tools" },
  { scenario: "a03-dev-config", steps: "identity empty", missing: "consent for tools that act in a user's name" },
  { scenario: "d50-agenttool", missing: "agents as tools" },
  { scenario: "d54-memory", missing: "the tool that loads memory" },
  {
    scenario: "f01-artifacts-tool",
    steps: ["run_sse load", "run_sse system"],
    path: /\.(text|artifact_names|response\.(status|error))$/,
    missing: "the tool that loads artifacts",
  },
  {
    scenario: "f01-artifacts-tool",
    steps: "read session",
    path: /events\[2[235]\].*\.(text|artifact_names|response\.(status|error))$/,
    missing: "the tool that loads artifacts, in what is stored of its calls",
  },
  {
    scenario: "h01-eval-sets",
    steps: /^run (new path|unknown (set|case|metric))$|^run$/,
    missing: "running evaluations",
  },
  { scenario: "i01-live", missing: "live runs" },
  { scenario: "l01-a2a-card", missing: "agents behind the A2A protocol" },
  { scenario: "l02-a2a-send", missing: "agents behind the A2A protocol" },
];
