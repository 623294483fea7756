import { suggestion } from "#kit/schema/suggest.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { describeConfig } from "#shared/config/describe-config.ts";
import { COMMANDS } from "./command-list.ts";
import { UsageError } from "./parse-arguments.ts";

const CREATE = `fairlead create [path] [--template basic|approval|pipeline|planner|mcp|evaluation] [--yaml]

Writes a project to the folder <path>, whose last part is the name of its app: agents on a demo model that needs no key, a test, a
README and scripts for npm. Every template but basic has an evaluation set too. The folder may exist if it is empty; "." is the
current one. Without a path, the command asks for it in a terminal. The folder becomes a Git repository, unless it is in one.
"npm create fairlead <path> -- --template <name>" does the same without an installation.

  basic         one agent with one tool (the default); with --yaml the agent is a definition, and only its tool is TypeScript
  approval      a tool that waits until a person approves the call
  pipeline      three agents, one after another, that pass their results on in the state
  planner       agents that a planner orders by what they read and write
  mcp           an agent with the tools of an MCP server, which is part of the project
  evaluation    an agent that a test measures by an evaluation set

  fairlead create helpdesk --template approval
  cd helpdesk && npm install && npm run dev`;

const SERVE = `fairlead serve [dir] [--watch]

Serves every app of the folder (default: AGENTS_DIR, "agents"), each in a folder of its own, and prints the address of
the developer UI when it is ready. Then every app is loaded: a table shows what is wrong, each problem with its file, line and
fix. YAML agents are reloaded when their files change. With --watch the server restarts when another source file of the project
or its .env changes: active runs end first (SHUTDOWN_DRAIN_MS), and the address stays. Ctrl-C ends active runs in good order; a
second one ends the process immediately.

Exit codes: 0 ended by a signal, 1 the server cannot start, 2 wrong arguments.

  fairlead serve my-agents --port 9000 --data-dir /var/lib/fairlead`;

const RUN = `fairlead run <dir> [app] [--resume <session>] [--record-wire <file>]

Loads the app from the folder and talks to it in the terminal; with one app its name may be left out. The conversation is
in memory only; with --resume it is in the data folder (--data-dir), and a later --resume of the same session continues it. A
server that uses the folder has to be stopped first. /new begins a new conversation, /state prints its state, /help lists the commands. Ctrl-C cancels an answer; Ctrl-D, or Ctrl-C at the prompt, ends the conversation.

A tool that needs confirmation is shown with its arguments, and "Approve? [y/N]" asks; a tool that waits for an answer takes one
as text or JSON. If the input is not a terminal, no one can be asked: the run is left awaiting input, and the exit code is 1.

--record-wire writes what is sent to models' providers and what they answer, without credentials, to a new file.

  fairlead run agents weather
  echo "Will it rain in Rome?" | fairlead run agents weather`;

const CHECK = `fairlead check [dir] [--fix] [--json]

Loads every app of the folder (default: AGENTS_DIR, "agents") without a server, and reports what is wrong with its definition or
module, its models, tools, schedules and sub-agents, each with file, line and fix. Warnings are a missing key of a model, a model that
is shut down, a sub-agent that no turn can run, a placeholder that nothing in the app fills, and a name of a tool that the model's
provider does not take. No model is called.

--fix writes into the files the fixes that are certain: names of models that are shut down, misspelt fields of definitions, prefixes
of placeholders, and imports without the extension of their file. Then it checks again.

Exit codes: 0 every agent can be run, 1 some cannot, 2 wrong arguments.

  fairlead check agents --fix
  fairlead check agents --json`;

const EVAL = `fairlead eval <dir> [set…] [--config <file>] [--repeat <count>] [--baseline <file>] [--junit <file>]
                             [--results <folder>] [--json]
fairlead eval <app> [set…] --url <url> [--config <file>] [--repeat <count>] [--baseline <file>] [--junit <file>] [--json]

Evaluates the app of the folder <dir> in this process: lets it answer the conversations of evaluation sets, each in a session in
memory, and scores what it did. A set is a file, or the id of one in the folder; ":case,case" behind it picks cases. Without sets
all of the folder are evaluated (*.evalset.json, *.test.json). --config names the metrics; without it, test_config.json beside the
set does, or else tool_trajectory_avg_score from 1 and response_match_score from 0.8.

With --repeat each case runs that often, and the table has the 95 % interval of its pass rate. --json prints a report that a later
--baseline reads: then only a drop fails that is too large to be chance. --junit writes XML for continuous integration,
and --results a file in ADK's format for each evaluation of a set, as ".data/evals/<app>/.adk/eval_history" has them.

With --url the server at this address evaluates its app <app>, with the API key or token of FAIRLEAD_API_KEY, and keeps the results.
A set is the id of one that the server has. If the connection is lost, the command continues to follow the evaluation. Ctrl-C cancels it.

Exit codes: 0 passed, 1 failed, 2 cancelled or could not run, or the server did not answer or refused. Without arguments, "fairlead eval" runs the service of that name.

  fairlead eval agents/weather
  fairlead eval agents/weather agents/weather/cities.evalset.json:rome --repeat 10 --json > baseline.json
  fairlead eval weather cities:rome --url https://agents.example.com --junit report.xml`;

const COMPLETION = `fairlead completion <bash|zsh|fish>

Prints the completion script of a shell.

  eval "$(fairlead completion bash)"        in ~/.bashrc
  eval "$(fairlead completion zsh)"         in ~/.zshrc
  fairlead completion fish | source         in ~/.config/fish/config.fish`;

const DOT_ENV = `serve, run, check and eval read the first of these that exists: .env in the current folder, .env beside the package.json of the
agents. A variable of the environment that is not empty is used in preference. Values of the file are never printed.`;

const RUNS = `fairlead runs list [--app a] [--user u] [--session s] [--status s] [--limit 50] [--json]
fairlead runs show <run id>
fairlead runs cancel <run id> [--json]
fairlead runs requeue <run id> [--json]

Calls the server at --url (default: FAIRLEAD_URL, http://127.0.0.1:8000), with the API key or token of FAIRLEAD_API_KEY. list prints a table, newest runs first, with the
runner that holds each lease; "answered" is a run whose question a later run has answered (--status awaiting_input finds those
that still wait). --session needs --app and --user. show prints one run as JSON. cancel asks for a run's end; one that has ended stays as it is.
requeue starts the request of a run again, as a new run with an id of its own that waits for its turn: the message is in the
session a second time. A run that has not ended is cancelled first.

Exit codes: 0 done, 1 refused by the server or no answer, 2 wrong arguments.

  fairlead runs list --status running
  fairlead runs requeue 0197c9a4-…`;

const INBOX = `fairlead inbox [list] [--app a] [--user u] [--limit 20] [--json]
fairlead inbox approve <entry> [--payload json] [--take-over]
fairlead inbox reject <entry> [--take-over]
fairlead inbox answer <entry> <text or json> [--question id] [--take-over]
fairlead inbox claim <entry> [--take-over]
fairlead inbox release <entry>

What the runs of the server at --url (default: FAIRLEAD_URL, http://127.0.0.1:8000) wait for, with the API key or token of
FAIRLEAD_API_KEY: confirmations, questions and work that a person ends. An entry is a run that waits; it takes one answer, and
continues. approve and reject answer all confirmations of an entry. answer sends a JSON object as it is, and a text as
{"result": text}.

claim tells others for 15 minutes that you work on an answer, if the server keeps claims (INBOX): answers and claims of others are
refused, unless they --take-over. release ends the claim.

Exit codes: 0 done, 1 refused by the server or no answer, 2 wrong arguments.

  fairlead inbox
  fairlead inbox approve 0197c9a4-…`;

const SCHEDULES = `fairlead schedules [list] [--app a] [--user u] [--limit 50] [--json]
fairlead schedules create "<message>" --app a --user u --cron "0 9 * * MON-FRI" [--zone Europe/Paris]
fairlead schedules create "<message>" --app a --user u --at 2027-01-31T09:00:00+01:00
fairlead schedules show|pause|resume|trigger|delete <schedule>

Runs that start at times, on the server at --url (default: FAIRLEAD_URL, http://127.0.0.1:8000), with the API key or token of
FAIRLEAD_API_KEY. The server keeps them where SCHEDULES says. Each tick starts one run of the app with the message, for the user.

create also takes --name, --session (the session of all runs; a new one for each if absent), --state (a JSON object that is set
before each run), --overlap skip|queue|allow (a tick while a run has not ended) and --catch-up none|one|all (late ticks).
trigger starts a run now. A paused schedule leaves its ticks out.

Exit codes: 0 done, 1 refused by the server or no answer, 2 wrong arguments.

  fairlead schedules create "What is new?" --app news --user ada --cron "0 9 * * *" --zone Europe/Paris
  fairlead schedules pause 0197c9a4-…`;

const WEBHOOKS = `fairlead webhooks [list] [--limit 50] [--json]
fairlead webhooks create <address> [--app a …] [--user u] [--event run.failed …] [--name text] [--secret s]
fairlead webhooks update <webhook> [--to <address>] [--app a …] [--user u] [--event run.failed …] [--on|--off]
fairlead webhooks show|rotate|test|delete <webhook>
fairlead webhooks deliveries <webhook> [--state waiting|delivered|dead] [--limit 50] [--json]
fairlead webhooks replay <webhook> <delivery>

Reports of what runs do, posted to addresses in the Standard Webhooks form, by the server at --url (default: FAIRLEAD_URL,
http://127.0.0.1:8000), with the API key or token of FAIRLEAD_API_KEY. The server keeps them where WEBHOOKS says.

Without --app, --user and --event a webhook reports all apps, users and types. create and rotate show the secret, once. test sends
a message; deliveries lists messages and their outcomes; replay sends one again, under the same id.

Exit codes: 0 done, 1 refused by the server or no answer, 2 wrong arguments.

  fairlead webhooks create https://hooks.example.com/fairlead --app weather --event run.failed
  fairlead webhooks deliveries 0197c9a4-… --state dead`;

const AGENTS = `fairlead agents [list] [app] [--json]
fairlead agents add <app>
fairlead agents weight <app> <revision>=<weight> …
fairlead agents pin|retire|remove <app> <revision>
fairlead agents rollback <app>

Versions of agents that are served side by side, in the file that AGENTS_INDEX names (--agents-index). Servers read it again when it
changes. A conversation stays on its version.

add copies the app's files from AGENTS_DIR beside the index, as the newest version: without new sessions, or with all of them if it is
the first. weight sets shares of the new sessions. pin gives all of them to one version, and rollback to the one before the
heaviest. Sessions of a retired version move with their next turn; remove then takes it off the list, and leaves its files.
The beginning of a revision is enough where it names one.

Exit codes: 0 done, 1 the index or the app cannot be used, 2 wrong arguments.

  fairlead agents add shop
  fairlead agents weight shop 77b1d0=10 4be0c1=90
  fairlead agents rollback shop`;

const USAGE = `fairlead usage [--user u] [--app a] [--key id] [--json]

Shows the quotas of the caller's API key and user on the server at --url (default: FAIRLEAD_URL, http://127.0.0.1:8000), with the
API key or token of FAIRLEAD_API_KEY: what is used, what is open or reserved at this moment, what is left, and the time until the
count begins again. A caller with users:all also sees those of its tenant, and of the user, app or key that it names.

Exit codes: 0 done, 1 refused by the server or no answer, 2 wrong arguments.

  fairlead usage
  fairlead usage --user ada --json`;

const TENANTS = `fairlead tenants export <tenant> [--user u] [--output file] [--cursor c]
fairlead tenants delete <tenant> [--user u] [--confirm default]
fairlead tenants deletions

Everything that the server at --url (default: FAIRLEAD_URL, http://127.0.0.1:8000) stores of a tenant, or of one of its users, with the
API key or token of FAIRLEAD_API_KEY: it needs the scope ops, and the tenant default for other tenants than its own.

export writes lines of JSON; the last one has the kind "end". An export that was cut off names the cursor with which it continues.
delete cancels the runs, refuses new ones and deletes until nothing is left. If it is interrupted, requests stay refused, and the same
command continues. deletions lists those that have not ended. The tenant default, which has all data of a server without tenants, needs
--confirm default.

Exit codes: 0 done, 1 refused by the server or cut off, 2 wrong arguments.

  fairlead tenants export acme --output acme.jsonl
  fairlead tenants delete acme --user ada`;

const KEYS = `fairlead keys create --name <name> --scopes <scopes> [--tenant t] [--user u] [--app a,b] [--expires 90d]
                      [--json]
fairlead keys list [--json]
fairlead keys revoke <key id> [--json]

Works on the store of keys that the settings name (KEY_STORE; sqlite in --data-dir by default), also while a server uses it. A
server with AUTH=api-key accepts a new key immediately, and a revoked one for up to a minute. create prints the key once: it is
stored nowhere. --scopes and --app are comma separated; without --tenant the key is of the tenant default; without --user it is
of no user, and needs users:all to reach data of users; without --expires it has no end. Clients send it as "Authorization:
Bearer fl_…" or "X-API-Key: fl_…".

Exit codes: 0 done, 1 the store cannot be used, 2 wrong arguments.

  fairlead keys create --name ci --scopes runs:write,sessions:read --user ci --expires 90d
  fairlead keys revoke 0197c9a4…`;

const CREDENTIALS = `fairlead credentials reseal [--json]

Seals the credentials of all users with the current key of CREDENTIAL_KEYS_FILE, in the store that the settings name
(CREDENTIAL_STORE; sqlite in --data-dir by default), also while a server uses it. Use it after a new key became current: when it
has ended with exit code 0, no credential needs the former key. Those that cannot be sealed anew are printed with the reason: their
key is missing, or they are damaged.

Exit codes: 0 all have the current key, 1 some have not or the store cannot be used, 2 wrong arguments.

  fairlead credentials reseal --credential-keys-file credential-keys.yaml`;

const AUDIT = `fairlead audit verify [file…] [--head chain/number/digest] [--partial] [--in-log] [--json]
fairlead audit export [file…] [--tenant t] [--subject s] [--action o] [--app a] [--user u] [--decision refused]
                      [--since time]

verify checks that each record of an audit log is unchanged and follows the one before it, and names the first that does not.
export prints records as they are, one a line; it checks nothing. Without files they read the log that the settings name (AUDIT,
AUDIT_FILE), also while a server writes it. One file stands for its whole log; - is standard input. With --in-log the lines of
other programs are skipped, as in a server's output with AUDIT=stdout. --partial is for a log whose first files are archived.
verify prints the head of the chain. Keep it in another place: with --head a later check finds that the log was written anew.

Exit codes: 0 whole, 1 broken, 2 wrong arguments.

  fairlead audit verify .data/audit/audit.jsonl
  kubectl logs deploy/fairlead-gateway | fairlead audit verify - --in-log
  fairlead audit export --decision refused --since 2026-01-31`;

const DB = `fairlead db migrate [--json]
fairlead db status [--json]
fairlead db check [--json]

Works on the schema of the Postgres database that the settings name (DATABASE_URL, DATABASE_SCHEMA), also while servers use it.
migrate applies the migrations that are missing, each in a transaction; several of these commands wait for each other. status
lists the migrations and when they were applied. A schema that only a newer release can use is refused.

Exit codes: 0 done or up to date, 1 check found missing migrations or the database cannot be used, 2 wrong arguments.

  fairlead db migrate --database-url postgresql://fairlead@db.internal/fairlead --database-password-file password`;

const PRUNE = `fairlead prune [--dry-run] [--json]

Deletes once the sessions, records of runs, versions of files, entries of memory and results of evaluations that are older than
RETENTION_FILE allows, in the stores that the settings name (SESSION_STORE, ARTIFACT_STORE …), with a count for each app. A server
with RETENTION_FILE does the same every six hours; on a database it may run at the same time, and in a data folder it has to be
stopped first. A session with a run that is executed, queued or waits for input stays, and so does the run. --dry-run names what
would be deleted, and deletes nothing. With --json each item is a line, and the last line has the counts. Interrupted, the same
command continues.

Exit codes: 0 done, 1 something could not be deleted or a store cannot be used, 2 wrong arguments.

  fairlead prune --retention-file retention.yaml --dry-run`;

const IMPORT = `fairlead import <source> [--artifacts <folder>] [--tenant <id>] [--json]

Reads sessions with their events and state into the stores that the settings name (SESSION_STORE, ARTIFACT_STORE …). The source is
a database of adk-python or of ADK for JavaScript (a file of SQLite, or postgresql://…), the data folder of another server or its
database in Postgres, or a file of "fairlead export". With --artifacts the files of ADK's file store come too; --tenant puts
sessions of ADK into a tenant.

The sessions are history: calls in them are never executed. One that exists here is left as it is, so that the same command
continues an import that was interrupted. What cannot be read is printed with its place and the reason, and the rest is imported.
The limits of a session over HTTP apply: --max-imported-events, --max-body-bytes for one event or state, --max-file-body-bytes for
all events of a session. A server on a data folder has to be stopped first.

Exit codes: 0 everything is imported, 1 something is not or a store cannot be used, 2 wrong arguments.

  fairlead import sessions.db --artifacts ./artifacts
  fairlead import postgresql://adk@db.internal/adk --session-store postgres`;

const EXPORT = `fairlead export <file> [--json]

Writes all sessions of the stores that the settings name, with their events, and all files of users and sessions, as lines of JSON to
a new file that only this user can read; - is the standard output. "fairlead import" reads it. The last line has the kind "end".
It is not a snapshot. A server on a data folder has to be stopped first.

Exit codes: 0 done, 1 a store cannot be used, 2 wrong arguments.

  fairlead export sessions.jsonl --data-dir .data`;

function settings(): string {
  return `Settings, as variables of the environment or as flags (DATA_DIR is --data-dir; true and false ones are --dev-ui and
--no-dev-ui; --agents is short for --agents-dir). A flag beats a variable. An empty variable counts as unset.

${describeConfig(standaloneConfigSchema)}`;
}

const SETTINGS_HINT = 'Every setting is a flag too: "fairlead help settings" lists them.';

const TOPICS: Readonly<Record<string, () => string>> = {
  create: () => CREATE,
  serve: () => `${SERVE}\n\n${DOT_ENV}\n\n${SETTINGS_HINT}`,
  run: () => `${RUN}\n\n${DOT_ENV}`,
  check: () => `${CHECK}\n\n${DOT_ENV}`,
  agents: () => AGENTS,
  eval: () => `${EVAL}\n\n${DOT_ENV}`,
  runs: () => RUNS,
  inbox: () => INBOX,
  schedules: () => SCHEDULES,
  webhooks: () => WEBHOOKS,
  usage: () => USAGE,
  tenants: () => TENANTS,
  keys: () => KEYS,
  credentials: () => CREDENTIALS,
  audit: () => AUDIT,
  db: () => DB,
  prune: () => PRUNE,
  import: () => IMPORT,
  export: () => EXPORT,
  completion: () => COMPLETION,
  settings,
};

/** The help on each command, without the list of settings. */
export const COMMAND_HELP: Readonly<Record<string, string>> = {
  create: CREATE,
  serve: SERVE,
  run: RUN,
  check: CHECK,
  agents: AGENTS,
  eval: EVAL,
  runs: RUNS,
  inbox: INBOX,
  schedules: SCHEDULES,
  webhooks: WEBHOOKS,
  usage: USAGE,
  tenants: TENANTS,
  keys: KEYS,
  credentials: CREDENTIALS,
  audit: AUDIT,
  db: DB,
  prune: PRUNE,
  import: IMPORT,
  export: EXPORT,
  completion: COMPLETION,
};

/** The table of commands. It fits a terminal of 24 lines and 80 columns, with the prompt below it. */
export function usage(): string {
  const [often, seldom] = [COMMANDS.filter(({ isSeldom }) => !isSeldom), COMMANDS.filter(({ isSeldom }) => isSeldom)];
  const commands = often.map(({ name, words, summary }): Row => {
    const whole = `${name} ${words}`;
    return [whole.length <= LEFT_WIDTH ? whole : `${name} ${words.split(" ")[0]}`, summary];
  });
  const rows: readonly Row[] = [...commands, ["<service>", "run one process, such as gateway, runner or standalone"]];
  const lines = rows.map(([left, right]) => `  ${left.padEnd(LEFT_WIDTH)}  ${right}`);
  const others = seldom.map(({ name, words }) => `${name} ${words}`.trim()).join(", ");
  return ["Usage: fairlead <command>, or fairlead --version", ...lines, `Also: ${others}`].join("\n");
}

type Row = readonly [left: string, right: string];

const LEFT_WIDTH = 18;

/** Throws `UsageError` for a topic that does not exist. */
export function helpOn(topic: string): string {
  const text = Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : undefined;
  if (text !== undefined) return text();
  const hint = suggestion(topic, Object.keys(TOPICS)) || `. Topics: ${Object.keys(TOPICS).join(", ")}.`;
  throw new UsageError(`There is no help on "${topic}"${hint}`);
}
