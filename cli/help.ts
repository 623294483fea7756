import { suggestion } from "#kit/definitions/suggest.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { describeConfig } from "#shared/describe-config.ts";
import { UsageError } from "./parse-arguments.ts";

const COMMANDS = `Usage:
  agentplane create <name>      write a project with one agent, in TypeScript or (--yaml) YAML
  agentplane serve [dir]        serve the agents of a folder: HTTP API, developer UI, durable sessions
  agentplane run <dir> [app]    talk to an agent in the terminal
  agentplane help [topic]       topics: create, serve, run, settings
  agentplane --version`;

const CREATE = `agentplane create <name> [--yaml]

Makes the folder <name> with a project in it: one agent with one tool, on a demo model that needs no key. With --yaml the
agent is a definition, and only its tool is TypeScript. A folder that has files in it is left alone.

  agentplane create helpdesk
  agentplane serve helpdesk/agents`;

const SERVE = `agentplane serve [dir]

Serves every app of the folder (default: AGENTS_DIR, "agents"), each in a folder of its own, and prints the address of
the developer UI when it is ready. YAML agents are loaded anew when their files change. Ctrl-C ends what is under way in
good order; a second one ends the process at once.

  agentplane serve my-agents --port 9000 --data-dir /var/lib/agentplane`;

const RUN = `agentplane run <dir> [app]

Loads the app from the folder and talks to it in the terminal; with one app its name may be left out. The conversation is
not kept. Ctrl-C cancels an answer; Ctrl-D, or Ctrl-C at the prompt, ends the conversation.

  agentplane run agents weather
  echo "Will it rain in Rome?" | agentplane run agents weather`;

function settings(): string {
  return `Settings, as variables of the environment or as flags (DATA_DIR is --data-dir; true and false ones are --dev-ui and
--no-dev-ui; --agents is short for --agents-dir). A flag beats a variable. An empty variable counts as unset.

${describeConfig(standaloneConfigSchema)}`;
}

const TOPICS: Readonly<Record<string, () => string>> = {
  create: () => CREATE,
  serve: () => `${SERVE}\n\n${settings()}`,
  run: () => RUN,
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
