import { suggestion } from "#kit/definitions/yaml/suggest.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { describeConfig } from "#shared/config/describe-config.ts";
import { UsageError } from "./parse-arguments.ts";

const COMMANDS = `Usage:
  agentplane create <name>      write a project with one agent, in TypeScript or (--yaml) YAML
  agentplane serve [dir]        serve the agents of a folder: HTTP API, developer UI, durable sessions
  agentplane run <dir> [app]    talk to an agent in the terminal
  agentplane runs <command>     list, show, cancel or requeue the runs of a server
  agentplane <service>          run one process with settings from the environment alone, as containers do:
                                gateway, runner, session, artifact, memory, eval, or standalone for all in one
  agentplane health             exit code 0 when the process of this container answers
  agentplane help [topic]       topics: create, serve, run, runs, settings
  agentplane --version`;

const CREATE = `agentplane create <name> [--yaml]

Makes the folder <name> with a project in it: one agent with one tool, on a demo model that needs no key. With --yaml the
agent is a definition, and only its tool is TypeScript. A folder that has files in it is left alone.

  agentplane create helpdesk
  agentplane serve helpdesk/agents`;

const SERVE = `agentplane serve [dir]

Serves every app of the folder (default: AGENTS_DIR, "agents"), each in a folder of its own, and prints the address of
the developer UI when it is ready. YAML agents are reloaded when their files change. Ctrl-C ends active runs in
good order; a second one ends the process immediately.

  agentplane serve my-agents --port 9000 --data-dir /var/lib/agentplane`;

const RUN = `agentplane run <dir> [app]

Loads the app from the folder and talks to it in the terminal; with one app its name may be left out. The conversation is
not kept. Ctrl-C cancels an answer; Ctrl-D, or Ctrl-C at the prompt, ends the conversation.

A tool that needs confirmation is shown with its arguments, and "Approve? [y/N]" asks; a tool that waits for an answer takes one
as text or JSON. If the input is not a terminal, no one can be asked: the run is left awaiting input, and the exit code is 1.

  agentplane run agents weather
  echo "Will it rain in Rome?" | agentplane run agents weather`;

const RUNS = `agentplane runs list [--app a] [--user u] [--session s] [--status s] [--limit 50] [--json]
agentplane runs show <run id>
agentplane runs cancel <run id> [--json]
agentplane runs requeue <run id> [--json]

Talks to the server at --url (default: AGENTPLANE_URL, http://127.0.0.1:8000). list prints a table, newest runs first, with the
runner that holds each lease; "answered" is a run whose question a later run has answered (--status awaiting_input finds those
that still wait). --session needs --app and --user. show prints one run as JSON. cancel asks for a run's end; one that has ended stays as it is.
requeue starts the request of a run again, as a new run with an id of its own that waits for its turn: the message is in the
session a second time. A run that has not ended is cancelled first.

Exit codes: 0 done, 1 refused by the server or no answer, 2 wrong arguments.

  agentplane runs list --status running
  agentplane runs requeue 0197c9a4-…`;

function settings(): string {
  return `Settings, as variables of the environment or as flags (DATA_DIR is --data-dir; true and false ones are --dev-ui and
--no-dev-ui; --agents is short for --agents-dir). A flag beats a variable. An empty variable counts as unset.

${describeConfig(standaloneConfigSchema)}`;
}

const TOPICS: Readonly<Record<string, () => string>> = {
  create: () => CREATE,
  serve: () => `${SERVE}\n\n${settings()}`,
  run: () => RUN,
  runs: () => RUNS,
  settings,
};

export function generalHelp(): string {
  return `${COMMANDS}\n\n${settings()}`;
}

/** Throws `UsageError` for a topic that does not exist. */
export function helpOn(topic: string): string {
  const text = Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : undefined;
  if (text !== undefined) return text();
  const hint = suggestion(topic, Object.keys(TOPICS)) || `. Topics: ${Object.keys(TOPICS).join(", ")}.`;
  throw new UsageError(`There is no help on "${topic}"${hint}`);
}
