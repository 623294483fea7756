import type { Requirement } from "#test/requirements/requirement.ts";

export const imports: readonly Requirement[] = [
  { id: "import:sessions", line: 278, status: "verified", text: "How sessions of another store come into this one is left open.", decided: "As they are there: state, events and times. Events are history, so their deltas are not applied again, and calls among them are never executed." },
  { id: "import:shared-state", line: 278, status: "verified", text: "What an import does to the state of apps and users is left open.", decided: "It adds values. A value that is here already stays." },
  { id: "import:resumes", line: 278, status: "verified", text: "What happens when an import is interrupted is left open.", decided: "The same command continues it. Each session is one commit; one that exists is left as it is, and a version of a file that exists is not saved again." },
  { id: "import:bounds", line: 278, status: "verified", text: "How much an import takes is left open.", decided: "As much as a session import over HTTP: MAX_IMPORTED_EVENTS, MAX_BODY_BYTES for an event or a state, MAX_FILE_BODY_BYTES for the events of a session and for a file, MAX_JSON_ELEMENTS." },
  { id: "import:problems", line: 278, status: "verified", text: "What an import does with what it cannot read is left open.", decided: "It names the row or line and the reason, imports the rest, and ends with exit code 1." },
  {
    id: "import:adk",
    line: 278,
    status: "verified",
    text: "Which stores an import reads is left open.",
    decided: "Databases of adk-python (both schemas, and its store in a file of SQLite) and of ADK for JavaScript, in SQLite and Postgres, with ADK's folder of files; data folders and databases of this server; and exports. What it reads equals what ADK reads back.",
  },
  { id: "import:pickle", line: 278, status: "verified", text: "How the pickled actions of ADK's first schema are read is left open.", decided: "As data alone: nothing is executed, classes are names, and a pickle with anything else is reported." },
  { id: "import:export", line: 278, status: "verified", text: "The form of an export is left open.", decided: "Lines of JSON in the form of a tenant's export. An import of it makes the same stores, and an export of these is the same file." },
];
