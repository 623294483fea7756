import { Version } from "#kit/version.ts";

export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly license: { readonly name: string; readonly identifier: string };
}

const DESCRIPTION = `The HTTP interface of this agent server.

**Start here**, with the sample agents that \`npm start\` serves:

1. [List the apps](#/apps/listApps).
2. [Create a session](#/sessions/createSessionWithId) of the app \`weather\` for the user \`me\`.
3. [Run the agent](#/runs/runAgent), or [stream its events](#/runs/runAgentStreamed).
4. [Read the session](#/sessions/readSession) with the events of the run.

The examples are filled in and work in this order. Every failed request answers with one form of JSON body, whose
\`reason\` is a stable name that programs can compare. Members of bodies may be spelled in camelCase or snake_case; answers are in
camelCase. Unknown members are ignored.`;

export const API_INFO: OpenApiInfo = {
  title: "Fairlead",
  version: Version.FAIRLEAD_VERSION,
  description: DESCRIPTION,
  license: { name: "Apache-2.0", identifier: "Apache-2.0" },
};

/** The subjects of the operations, in the order in which they are shown. */
export const TAGS = {
  apps: "The apps of this server and their agents.",
  sessions: "A session holds the events and the state of one conversation of a user with an app.",
  runs: "A run is one turn of an agent in a session. It continues if its client disconnects, and its stream can be resumed from any point.",
  inbox: "What runs wait for: confirmations, questions and results that people give.",
  schedules: "Runs that start at times: by a cron expression, or once. Off unless SCHEDULES names a store.",
  webhooks:
    "Reports of what runs do, posted to addresses in the Standard Webhooks form. Off unless WEBHOOKS names a store.",
  artifacts: "Files of a session, in versions. A name that starts with `user:` belongs to all sessions of the user.",
  credentials: "What is kept of users' credentials for tools; never their values.",
  memory: "What agents remember across sessions.",
  evaluation: "Evaluation sets, their cases and results.",
  traces: "Spans of runs, for debugging.",
  graphs: "The structure of an app, as data and as Graphviz source.",
  builder: "The definition files of YAML agents, for an editor. Off unless AGENT_EDITOR allows it.",
  server: "Health, metrics and version.",
  "not offered": "Operations of the protocol that this server answers with 501 or 404.",
  "other spellings": "The same operations on other paths of the protocol, for clients that use them.",
} as const;
