import type { ListedDifference } from "../difference.ts";

const SEND = "l02-a2a-send";

/** The Agent2Agent protocol. The recorded server has cards that people wrote, and a store of tasks beside its sessions. */
export const A2A: readonly ListedDifference[] = [
  {
    scenarios: "l01-a2a-card",
    steps: "card",
    path: /^\$\.json\.(description|version|skills\[\d+\]|capabilities|default(In|Out)putModes|preferredTransport)/,
    reason: "The card is made from the app and this server: the recorded one is a file.",
    follows: "platform:a2a:card",
  },
  {
    scenarios: SEND,
    path: /^\$\.json\.result\.(history\[\d+\]|artifacts)/,
    reason:
      "An artifact is one event of the agent, with its author as the name; the history has messages and no copies of the artifacts, each with its task and context.",
    follows: "platform:a2a:tasks",
  },
  {
    scenarios: SEND,
    path: /^\$\.json\.result\.metadata$/,
    cls: "missing fields",
    reason: "The kit's metadata stand at the event's artifact or message, as a task has many events.",
    follows: "platform:a2a:tasks",
  },
  {
    scenarios: SEND,
    steps: ["model failure", "confirmation", "error code", "long-running"],
    path: /^\$\.json\.result\.status\.message/,
    reason: "A failed task says the reason and no text of an exception; a question names its task and context.",
    follows: "platform:a2a:tasks",
  },
];
