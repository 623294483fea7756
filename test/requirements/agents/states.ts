import type { Requirement } from "#test/requirements/requirement.ts";

export const states: readonly Requirement[] = [
  { id: "states:no-session-states", line: 154, status: "verified", text: "Operations change sessions, and no states of a session are named.", decided: "A session is open, or closed once closeSession was called; nothing else." },
  { id: "states:append-event:adds-event", line: 158, status: "verified", text: "`appendEvent` adds the event to the session object in memory." },
  { id: "states:append-event:applies-state-delta", line: 158, status: "verified", text: "`appendEvent` updates the session's state from the event's delta." },
  { id: "states:append-event:without-delta", line: 158, status: "verified", text: "An event without a delta leaves the state as it is." },
  { id: "states:create-session:generates-id", line: 159, status: "verified", text: "A session created without an id gets a unique one." },
  { id: "states:create-session:state-default", line: 159, status: "verified", text: "The state of a new session defaults to none." },
  { id: "states:create-session:given-id", line: 160, status: "verified", text: "A session created with an id has that id." },
  { id: "states:close-session", line: 161, status: "verified", text: "`closeSession` closes the session." },
  { id: "states:delete-session", line: 162, status: "verified", text: "`deleteSession` deletes the session." },
  { id: "states:delete-session:events", line: 162, status: "gated", text: "The document database deletes the session's events with it." },
  {
    id: "states:events:provenance",
    line: 158,
    status: "verified",
    text: "Calls run only if a run has recorded them from a model.",
    decided:
      "Stores mark each event that no run wrote: imported with a new session, appended by `appendEvent`, or written by a change of state. Such events are history for prompts: a run resumes nothing in them, their calls take no answers and are never executed, whoever asks. What they undo (a rewind) or use up (an answer) still counts.",
  },
  {
    id: "states:delete-session:artifacts",
    line: 162,
    status: "verified",
    text: "Whether artifacts go with their session is left open.",
    decided: "Over HTTP they do; `user:` files, which belong to no session, stay. A program that calls `SessionService.deleteSession` itself also calls `ArtifactService.deleteSessionArtifacts`: neither service knows the other.",
  },
  { id: "states:session-states", line: 164, status: "verified", text: "The states of a session are left open.", decided: "A closed session is read as before and refuses events and runs with SESSION_CLOSED." },
  { id: "states:evaluation-status", line: 164, status: "verified", text: "The values of an evaluation's status are left open.", decided: "PASSED 1, FAILED 2, NOT_EVALUATED 3; metrics that only inform have 4." },
  { id: "states:transitions", line: 164, status: "verified", text: "Transitions are left open.", decided: "Open to closed, once; closing again changes nothing. Both can be deleted." },
  { id: "states:run-states", line: 164, status: "verified", text: "Whether a run has states is left open.", decided: "pending, running, then one of succeeded, failed, cancelled, interrupted, timed_out, awaiting_input, which never changes." },
  {
    id: "states:run-answered",
    line: 164,
    status: "verified",
    text: "What becomes of a waiting run that is answered is left open.",
    decided:
      "It stays awaiting_input and its record names the run that brought the answer (`answeredBy`), in the commit that stores the answer. Lists by status leave it out. An answer that is cancelled, or fails, before its message is stored changes nothing; what happens to the answering run afterwards changes nothing either.",
  },
];
