import { inspect } from "node:util";
import { suggestion } from "#kit/definitions/yaml/suggest.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { redactText } from "#kit/errors/redact.ts";
import { shownMessage } from "#kit/errors/shown-error.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { Version } from "#kit/version.ts";
import { type StandaloneConfig, standaloneConfigSchema } from "#services/standalone/config.ts";
import { settingsOf } from "#shared/config/config-schema.ts";
import { type Environment, loadConfig } from "#shared/config/load-config.ts";
import { isLoopback } from "#shared/security/bind-guard.ts";
import { type Arguments, parseArguments, UsageError } from "./parse-arguments.ts";

const SERVICES = ["gateway", "runner", "session", "artifact", "memory", "eval", "standalone", "health"] as const;
const COMMANDS = ["create", "serve", "run", "runs", "help", ...SERVICES] as const;

/** Runs a command line and returns the exit code, which is 0 for a started server. */
export async function main(typed: readonly string[], environment: Environment): Promise<number> {
  try {
    // The command has its own flags, and no settings.
    if (typed[0] === "runs") await showRuns(typed.slice(1), environment);
    else return await runCommand(parseArguments(typed, settingsOf(standaloneConfigSchema)), environment);
    return 0;
  } catch (error) {
    return report(error);
  }
}

async function showRuns(typed: readonly string[], environment: Environment): Promise<void> {
  if (typed.includes("--help") || typed.includes("-h")) {
    const { helpOn } = await import("./help.ts");
    return console.log(helpOn("runs"));
  }
  const { runs } = await import("./runs.ts");
  console.log(await runs({ typed, defaultUrl: environment["AGENTPLANE_URL"], clock: systemClock }));
}

/** The exit code. */
async function runCommand(typed: Arguments, environment: Environment): Promise<number> {
  const [command, ...words] = typed.words;
  if (typed.wantsVersion) return print(Version.AGENTPLANE_VERSION);
  if (typed.wantsHelp || command === undefined || command === "help") {
    const topic = command === "help" ? words[0] : command;
    const { generalHelp, helpOn } = await import("./help.ts");
    return print(topic === undefined ? generalHelp() : helpOn(topic));
  }
  if (typed.wantsYaml && command !== "create") throw new UsageError("--yaml belongs to agentplane create.");
  switch (command) {
    case "create": {
      const [name = ""] = expectWords("create <name> [--yaml]", words, 1, 1);
      const { create } = await import("./create.ts");
      return print(await create({ name, isYaml: typed.wantsYaml, parent: process.cwd() }));
    }
    case "serve": {
      const [folder] = expectWords("serve [dir]", words, 0, 1);
      const { serve } = await import("./serve.ts");
      await serve(serveConfigOf(typed, folder, environment));
      return 0;
    }
    case "run": {
      const [folder, appName] = expectWords("run <dir> [app]", words, 1, 2);
      const { run } = await import("./run.ts");
      return run(configOf(typed, folder, environment), appName);
    }
    default: {
      const hint = suggestion(command, COMMANDS) || ": see agentplane --help.";
      throw new UsageError(`There is no command "${command}"${hint}`);
    }
  }
}

function print(text: string): number {
  console.log(text);
  return 0;
}

function expectWords(usage: string, words: readonly string[], least: number, most: number): readonly string[] {
  if (words.length >= least && words.length <= most) return words;
  throw new UsageError(`Usage: agentplane ${usage}`);
}

function configOf({ settings }: Arguments, folder: string | undefined, environment: Environment): StandaloneConfig {
  if (folder !== undefined && settings["AGENTS_DIR"] !== undefined) {
    throw new UsageError("The folder of agents is given twice: as a word and by --agents.");
  }
  const typed = folder === undefined ? settings : { ...settings, AGENTS_DIR: folder };
  // A flag also replaces the secret's file in the environment, as both together would be a conflict.
  const files = Object.fromEntries(Object.keys(typed).map((name) => [`${name}_FILE`, undefined]));
  return loadConfig(standaloneConfigSchema, { ...environment, ...files, ...typed });
}

/** A local server lets the developer UI edit agents, unless a setting forbids it or other machines reach the server. */
function serveConfigOf(typed: Arguments, folder: string | undefined, environment: Environment): StandaloneConfig {
  const config = configOf(typed, folder, environment);
  if (!isLoopback(config.HOST)) return config;
  return configOf(typed, folder, { AGENT_EDITOR: "true", ...withoutEmpty(environment) });
}

/** An empty variable counts as unset. */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}

/** The user who typed the command reads its errors. */
const IN_TERMINAL = { errorDetail: "full", place: "this command" } as const;

function report(error: unknown): number {
  if (error instanceof UsageError) {
    console.error(`agentplane: ${error.message}`);
    return 2;
  }
  if (error instanceof PlatformError) {
    for (const line of shownMessage(error, IN_TERMINAL).split("\n")) console.error(`agentplane: ${line}`);
    return 1;
  }
  console.error(redactText(inspect(error)));
  return 1;
}
