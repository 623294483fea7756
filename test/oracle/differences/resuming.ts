import type { ListedDifference } from "../difference.ts";

const NO_MESSAGE = ["resume", "read session"];

export const RESUMING: readonly ListedDifference[] = [
  {
    scenarios: ["d23-loop-exit", "d24-loop-max"],
    path: /\.resumption$/,
    cls: "extra fields",
    actual: /timesLooped/,
    reason:
      "A run that is recovered resumes its loop in the pass in which its process was lost; the first event of a pass names it.",
    follows: "agents:loop:pass-mark",
  },
  {
    scenarios: ["e30-resume", "e31-resume-no-id", "e33-resume-empty"],
    path: /(sse|events)\[\d+\]$/,
    cls: "missing fields",
    expected: /^event (resume_root|step_one|step_two)\|\|\|\| \{\}$/,
    reason:
      "The recorded server writes events that only say which agent is at work or has ended, each of which is stored and sent. Here the events of the agents themselves show it.",
    follows: "agents:resume",
  },
  {
    scenarios: "e33-resume-empty",
    steps: NO_MESSAGE,
    path: /(sse|events)\[\d+\]$/,
    cls: "missing fields",
    expected: /END|two done/,
    reason:
      "An invocation that waits for an answer is not resumed without it; the recorded server asks the model again.",
    follows: "agents:resume:waiting",
  },
];
