import type { ListedDifference } from "../difference.ts";

const REMOVED =
  "A null in a delta removes its key, so that a client can. There is no other way to remove one over HTTP, and a key that holds null for ever would be in every read.";

export const SESSIONS: readonly ListedDifference[] = [
  {
    scenarios: "b01-session-crud",
    steps: "list",
    path: /^\$\.json\[[02]\]\.id$/,
    cls: "different value",
    expected: /seen before$/,
    reason: "The recorded order is that of creation. Newest first makes the first page of a long list the useful one.",
    follows: "wire:session:list-order",
  },
  {
    scenarios: "b01-session-crud",
    steps: ["patch null value", "patch temp", "patch empty", "read patched"],
    path: /^\$\.json\.state\.added$/,
    cls: "missing fields",
    expected: /^null$/,
    reason: REMOVED,
    follows: "session:state:removed-keys",
  },
  {
    scenarios: "b04-session-bodies",
    steps: "null in state",
    path: /^\$\.json\.state\.a$/,
    cls: "missing fields",
    expected: /^null$/,
    reason: REMOVED,
    follows: "session:state:removed-keys",
  },
  {
    scenarios: "d26-events",
    steps: "read session",
    path: /^\$\.json\.state\.nul$/,
    cls: "missing fields",
    expected: /^null$/,
    reason: REMOVED,
    follows: "session:state:removed-keys",
  },
  {
    scenarios: "b01-session-crud",
    steps: "patch temp",
    path: /^\$\.json\.state\.temp:t$/,
    cls: "missing fields",
    reason:
      "A change from outside belongs to no invocation in which a `temp:` key could live; the recorded server forgets it with the next read.",
    follows: "session:state-prefix:temp",
  },
  {
    scenarios: "b01-session-crud",
    steps: ["patch empty", "read patched"],
    path: /^\$\.json\.events\[4\]$/,
    cls: "missing fields",
    expected: /^event user\|\|\|\| \{\}$/,
    reason:
      "A delta that changes nothing stores nothing: the developer UI patches with the whole state, and histories would fill with empty events.",
    follows: "operations:session:apply-state-delta",
  },
  {
    scenarios: "b02-session-with-id",
    steps: ["wrapped state", "list of them"],
    path: /\.state\.(state|city)$/,
    reason:
      "The specification gives both ways to create a session the same body, a SessionRequest with `state`. A bare map is taken as well.",
    follows: "endpoints-http:create-session-with-id",
  },
  {
    scenarios: "b04-session-bodies",
    steps: "big state",
    path: /^\$$/,
    cls: "different status",
    expected: /^200$/,
    actual: /^413$/,
    reason: "A scope of the state has a limit, as each turn reads and each reader gets all of it.",
    follows: "limits:state",
  },
];
