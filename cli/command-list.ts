/** A flag of one command, beside the settings. */
export interface CommandFlag {
  readonly name: string;
  /** The name of its value in usage lines; absent for a flag without value. */
  readonly value?: string;
  readonly description: string;
}

export interface Command {
  readonly name: string;
  /** Its words after the name, as usage lines show them. */
  readonly words: string;
  readonly summary: string;
  readonly flags: readonly CommandFlag[];
  /** Whether every setting is a flag of it. */
  readonly takesSettings: boolean;
  /** Named without its summary in the table of commands, which has to fit a terminal. */
  readonly isSeldom?: true;
  /** What its first word can be, if that is one of a list or a folder. */
  readonly completes?: readonly string[] | "folder";
}

/** The processes that a container can run. */
export const SERVICES = ["gateway", "runner", "session", "artifact", "memory", "eval", "standalone"] as const;
const KEYS_COMMANDS = ["create", "list", "revoke"] as const;
const CREDENTIALS_COMMANDS = ["reseal"] as const;
const DB_COMMANDS = ["migrate", "status", "check"] as const;
const AUDIT_COMMANDS = ["verify", "export"] as const;
const TENANTS_COMMANDS = ["export", "delete", "deletions"] as const;
const RUNS_COMMANDS = ["list", "show", "cancel", "requeue"] as const;
const INBOX_COMMANDS = ["list", "approve", "reject", "answer", "claim", "release"] as const;
const SCHEDULES_COMMANDS = ["list", "show", "create", "pause", "resume", "trigger", "delete"] as const;
const WEBHOOKS_COMMANDS = [
  "list",
  "show",
  "create",
  "update",
  "delete",
  "rotate",
  "test",
  "deliveries",
  "replay",
] as const;
const AGENTS_COMMANDS = ["list", "add", "weight", "pin", "rollback", "retire", "remove"] as const;
export const SHELLS = ["bash", "zsh", "fish"] as const;
const TOPICS = [
  "create",
  "serve",
  "run",
  "check",
  "agents",
  "eval",
  "runs",
  "inbox",
  "schedules",
  "webhooks",
  "usage",
  "tenants",
  "keys",
  "credentials",
  "audit",
  "db",
  "prune",
  "import",
  "export",
  "completion",
  "settings",
] as const;

const JSON_FLAG: CommandFlag = { name: "--json", description: "Print JSON." };

/** All commands but the services, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    name: "create",
    words: "[path]",
    summary: "write a project with an agent that runs without a key",
    flags: [
      {
        name: "--template",
        value: "name",
        description: "The kind of project: basic, approval, pipeline, planner, mcp or evaluation.",
      },
      { name: "--yaml", description: "Make the agent a YAML definition." },
    ],
    takesSettings: false,
    completes: "folder",
  },
  {
    name: "serve",
    words: "[dir]",
    summary: "serve agents: HTTP API, developer UI, durable sessions",
    flags: [{ name: "--watch", description: "Restart when a source file of the project changes." }],
    takesSettings: true,
    completes: "folder",
  },
  {
    name: "run",
    words: "<dir> [app]",
    summary: "talk to an agent in the terminal",
    flags: [
      { name: "--resume", value: "session", description: "Keep the conversation in the data folder, and continue it." },
      {
        name: "--record-wire",
        value: "file",
        description: "Write what model providers are sent and answer, without credentials, to a new file.",
      },
    ],
    takesSettings: true,
    completes: "folder",
  },
  {
    name: "check",
    words: "[dir]",
    summary: "check every agent of a folder without starting a server",
    flags: [JSON_FLAG, { name: "--fix", description: "Make the fixes that are certain, in the files." }],
    takesSettings: true,
    completes: "folder",
  },
  {
    name: "agents",
    words: "[action] [app]",
    summary: "versions of agents, and which sessions get them",
    flags: [JSON_FLAG],
    takesSettings: true,
    completes: AGENTS_COMMANDS,
  },
  {
    name: "eval",
    words: "<dir> [set…]",
    summary: "evaluate an agent on sets of conversations",
    flags: [
      { name: "--url", value: "url", description: "Evaluate on this running server, which has the sets." },
      {
        name: "--config",
        value: "file",
        description: "The metrics and thresholds; test_config.json beside the set if absent.",
      },
      { name: "--repeat", value: "count", description: "How often to run each case." },
      { name: "--baseline", value: "file", description: "Fail only on a significant drop since this report." },
      { name: "--junit", value: "file", description: "Write a report in JUnit's XML." },
      { name: "--results", value: "folder", description: "Write a result file for each evaluation of a set." },
      JSON_FLAG,
    ],
    takesSettings: false,
    completes: "folder",
  },
  {
    name: "runs",
    words: "<command>",
    summary: "list, show, cancel or requeue the runs of a server",
    flags: [
      { name: "--url", value: "url", description: "Address of the server." },
      { name: "--app", value: "app", description: "Only runs of this app." },
      { name: "--user", value: "user", description: "Only runs of this user." },
      { name: "--session", value: "session", description: "Only runs of this session." },
      { name: "--status", value: "status", description: "Only runs with this status." },
      { name: "--limit", value: "count", description: "At most this many runs." },
      JSON_FLAG,
    ],
    takesSettings: false,
    completes: RUNS_COMMANDS,
  },
  {
    name: "inbox",
    words: "[command] [entry]",
    summary: "list what the runs of a server wait for, and answer it",
    flags: [
      { name: "--url", value: "url", description: "Address of the server." },
      { name: "--app", value: "app", description: "Only entries of this app." },
      { name: "--user", value: "user", description: "Only entries of this user." },
      { name: "--limit", value: "count", description: "At most this many entries." },
      { name: "--payload", value: "json", description: "What approve gives to the tool." },
      { name: "--question", value: "id", description: "The question to answer, if the entry has several." },
      { name: "--take-over", description: "Also an entry that somebody else has claimed." },
      JSON_FLAG,
    ],
    takesSettings: false,
    completes: INBOX_COMMANDS,
  },
  {
    name: "schedules",
    words: "[action] [schedule]",
    summary: "list, create, change or start the schedules of a server",
    flags: [
      { name: "--url", value: "url", description: "Address of the server." },
      { name: "--app", value: "app", description: "The app of the schedule, or of those to list." },
      { name: "--user", value: "user", description: "The user of the schedule, or of those to list." },
      { name: "--name", value: "text", description: "What the schedule is for." },
      { name: "--cron", value: "fields", description: "Minute, hour, day, month and weekday." },
      { name: "--zone", value: "zone", description: "The time zone of --cron; UTC if absent." },
      { name: "--at", value: "time", description: "One time with its offset, in place of --cron." },
      { name: "--session", value: "id", description: "The session of all runs; a new one for each if absent." },
      { name: "--state", value: "json", description: "State to set before each run." },
      { name: "--overlap", value: "policy", description: "A tick while a run has not ended: skip, queue or allow." },
      { name: "--catch-up", value: "policy", description: "Late ticks that start: none, one or all." },
      { name: "--limit", value: "count", description: "At most this many schedules." },
      JSON_FLAG,
    ],
    takesSettings: false,
    completes: SCHEDULES_COMMANDS,
  },
  {
    name: "webhooks",
    words: "[action] [webhook]",
    summary: "list, create, test or replay the webhooks of a server",
    flags: [
      { name: "--url", value: "url", description: "Address of the server." },
      { name: "--to", value: "address", description: "Another address for update." },
      { name: "--app", value: "app", description: "An app to hear of, again for more; all if absent." },
      { name: "--user", value: "user", description: "The user to hear of; all users if absent." },
      { name: "--event", value: "type", description: "A type of event, again for more; all if absent." },
      { name: "--name", value: "text", description: "What the webhook is for." },
      { name: "--secret", value: "secret", description: "The secret; the server makes one if absent." },
      { name: "--on", description: "Turn the webhook on." },
      { name: "--off", description: "Turn the webhook off." },
      { name: "--state", value: "state", description: "Of deliveries: waiting, delivered or dead." },
      { name: "--limit", value: "count", description: "At most this many." },
      JSON_FLAG,
    ],
    takesSettings: false,
    completes: WEBHOOKS_COMMANDS,
  },
  {
    name: "usage",
    words: "",
    summary: "show how much of a server's quotas is used",
    flags: [
      { name: "--url", value: "url", description: "Address of the server." },
      { name: "--user", value: "user", description: "The user whose quotas to show." },
      { name: "--app", value: "app", description: "The app whose quotas to show." },
      { name: "--key", value: "key", description: "The id of the API key whose quotas to show." },
      JSON_FLAG,
    ],
    takesSettings: false,
  },
  {
    name: "tenants",
    words: "<command> [tenant]",
    summary: "export or delete the data of a tenant or of its users",
    flags: [
      { name: "--url", value: "url", description: "Address of the server." },
      { name: "--user", value: "user", description: "Only the data of this user." },
      { name: "--output", value: "file", description: "The file of the export; the standard output by default." },
      { name: "--cursor", value: "cursor", description: "Where an export that was cut off continues." },
      { name: "--confirm", value: "tenant", description: "`default`, to delete everything of the tenant default." },
    ],
    takesSettings: false,
    completes: TENANTS_COMMANDS,
  },
  {
    name: "keys",
    words: "<command>",
    summary: "create, list or revoke the API keys of a server",
    flags: [
      { name: "--name", value: "name", description: "What the new key is for." },
      { name: "--scopes", value: "scopes", description: "What the new key allows, comma separated." },
      { name: "--user", value: "user", description: "The only user whose data the new key reaches." },
      { name: "--app", value: "app", description: "The only apps that the new key may use, comma separated." },
      { name: "--tenant", value: "id", description: "The tenant of the new key's callers; default if absent." },
      { name: "--expires", value: "time", description: "How long the new key is valid, such as 90d." },
      JSON_FLAG,
    ],
    takesSettings: true,
    completes: KEYS_COMMANDS,
  },
  {
    name: "credentials",
    words: "reseal",
    summary: "seal all stored credentials with the current key",
    flags: [JSON_FLAG],
    isSeldom: true,
    takesSettings: true,
    completes: CREDENTIALS_COMMANDS,
  },
  {
    name: "audit",
    words: "<command> [file…]",
    summary: "check that an audit log is whole, or print records of it",
    flags: [
      { name: "--head", value: "head", description: "A head that an earlier check printed: it must be in the log." },
      { name: "--partial", description: "Accept that the first files of the log are not there." },
      { name: "--in-log", description: "Skip lines of other programs, and accept several chains." },
      { name: "--tenant", value: "id", description: "Only decisions on callers of this tenant." },
      { name: "--subject", value: "subject", description: "Only decisions on this caller." },
      { name: "--action", value: "operation", description: "Only decisions on this operation." },
      { name: "--app", value: "app", description: "Only decisions on this app." },
      { name: "--user", value: "user", description: "Only decisions on data of this user." },
      { name: "--decision", value: "decision", description: "Only allowed or refused ones." },
      { name: "--since", value: "time", description: "Only what happened at this time or later." },
      JSON_FLAG,
    ],
    takesSettings: true,
    completes: AUDIT_COMMANDS,
  },
  {
    name: "db",
    words: "<command>",
    summary: "migrate, show or check the schema of Postgres",
    flags: [JSON_FLAG],
    takesSettings: true,
    completes: DB_COMMANDS,
  },
  {
    name: "prune",
    words: "",
    summary: "delete what is older than RETENTION_FILE allows",
    flags: [{ name: "--dry-run", description: "Name what would be deleted, and delete nothing." }, JSON_FLAG],
    takesSettings: true,
  },
  {
    name: "import",
    words: "<source>",
    summary: "read sessions of ADK, another store or an export",
    flags: [
      { name: "--artifacts", value: "folder", description: "The folder of ADK's files." },
      { name: "--tenant", value: "id", description: "The tenant of sessions whose source names none." },
      JSON_FLAG,
    ],
    takesSettings: true,
  },
  {
    name: "export",
    words: "<file>",
    summary: "write all sessions and files as lines of JSON",
    flags: [JSON_FLAG],
    takesSettings: true,
  },
  {
    name: "ui",
    words: "install",
    summary: "fetch the developer UI before the first serve",
    flags: [],
    isSeldom: true,
    takesSettings: false,
    completes: ["install"],
  },
  {
    name: "completion",
    words: "<shell>",
    summary: "print the completion script of bash, zsh or fish",
    flags: [],
    isSeldom: true,
    takesSettings: false,
    completes: SHELLS,
  },
  {
    name: "health",
    words: "",
    summary: "exit code 0 when the process of this container answers",
    flags: [],
    isSeldom: true,
    takesSettings: false,
  },
  {
    name: "help",
    words: "[topic]",
    summary: 'describe a command; "help settings" lists all settings',
    flags: [],
    takesSettings: false,
    completes: TOPICS,
  },
];

/** Flags that every command accepts. */
export const GENERAL_FLAGS: readonly CommandFlag[] = [
  { name: "--help", description: "Print help on the command." },
  { name: "--version", description: "Print the version." },
];

/** The command of the name and its words, as in `serve [dir]`. */
export function usageOf(command: Command): string {
  const flags = command.flags.map(({ name, value }) => `[${name}${value === undefined ? "" : ` <${value}>`}]`);
  return [command.name, ...(command.words === "" ? [] : [command.words]), ...flags].join(" ");
}
